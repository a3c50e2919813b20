public import Synchronization

/// Lets one caller through at a time; whoever is refused has changed nothing.
///
/// Copies are the same gate. `Gatekeeper()` has one condition; with an option set or a `Set` each element is a condition of
/// its own, and an option that names several takes all of them or none. The empty option is always refused: it names
/// nothing to exclude others from. `==` and `hash` of an element run under the gate's lock, and must not use it. Words and idea: Dan Loman, "Use a Gatekeeper to manage control flow", 2021.
///
/// A passage is *unowned* (``attemptPassage()``; whoever calls ``reset()`` ends it) or *owned* (`withPassage`,
/// ``acquire()``; it ends with its holder, and no reset touches it).
public final class Gatekeeper<Value>: Sendable {
  @usableFromInline enum Standing: UInt8, AtomicRepresentable, Sendable { case open, unowned, owned }

  @usableFromInline let standing = Atomic(Standing.open)  // The whole of a Bool gate.
  @usableFromInline let taken: Locked<(unowned: Value, owned: Value)>  // What is taken of a set.

  init(_ taken: sending (unowned: Value, owned: Value)) { self.taken = Locked(taken) }
}

extension Gatekeeper where Value == Bool {
  /// Creates an open gate.
  public convenience init() { self.init((false, false)) }

  /// Whether the gate is open at this moment; an answer, not a reservation.
  @inlinable public var mayPass: Bool { standing.load(ordering: .acquiring) == .open }

  /// Passes unowned, if the gate is open; only who got true should call ``reset()``.
  @inlinable @discardableResult public func attemptPassage() -> Bool { shut(.unowned) }

  /// Ends an unowned passage, whoever began it; an owned one stays.
  @inlinable public func reset() {
    _ = standing.compareExchange(expected: .unowned, desired: .open, ordering: .releasing)
  }

  /// Passes, runs `body` and opens the gate however the body ends, or runs nothing.
  @inlinable public func withPassage<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> PassageOutcome<Result> {
    guard shut(.owned) else { return .refused }
    defer { standing.store(.open, ordering: .releasing) }
    return .passed(try body())
  }

  /// Passes, runs `body` and opens the gate however the body ends, or runs nothing; it never waits for the gate.
  public func withPassage<Result, Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> PassageOutcome<Result> {
    guard shut(.owned) else { return .refused }
    defer { standing.store(.open, ordering: .releasing) }
    return .passed(try await body())
  }

  /// Passes and hands the ``Passage`` (read there how to hold it) to the caller; nil when refused.
  public func acquire() -> Passage? {
    shut(.owned) ? Passage(open: { self.standing.store(.open, ordering: .releasing) }) : nil
  }

  @inlinable func shut(_ how: Standing) -> Bool {
    standing.compareExchange(expected: .open, desired: how, ordering: .acquiring).exchanged
  }
}

extension Gatekeeper where Value: SetAlgebra & Sendable, Value.Element: Sendable {
  /// Creates a gate with all conditions open.
  public convenience init() { self.init(([], [])) }

  /// Whether everything that `option` names is open at this moment; an answer, not a reservation.
  @inlinable public func mayPass(for option: Value.Element) -> Bool {
    taken.withLock { !$0.owned.overlaps(option) && !$0.unowned.overlaps(option) }
  }

  /// Passes unowned for all that `option` names, or for nothing; only who got true should call ``reset(for:)``.
  @inlinable @discardableResult public func attemptPassage(for option: Value.Element) -> Bool {
    taken.withLock { !$0.owned.overlaps(option) && $0.unowned.take(option) }
  }

  /// Ends unowned passages for what `option` names, whoever began them; owned ones stay.
  @inlinable public func reset(for option: Value.Element) {
    // The element that was kept dies after the lock is left: its `deinit` is the user's, and may come to this gate.
    _ = taken.withLock { $0.unowned.remove(option) }
  }

  /// Passes for `option`, runs `body` and opens again however the body ends, or runs nothing.
  @inlinable public func withPassage<Result, Failure: Error>(
    for option: Value.Element, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> PassageOutcome<Result> {
    guard own(option) else { return .refused }
    defer { leave(option) }
    return .passed(try body())
  }

  /// Passes for `option`, runs `body` and opens again however the body ends, or runs nothing; it never waits.
  public func withPassage<Result, Failure: Error>(
    for option: Value.Element, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> PassageOutcome<Result> {
    guard own(option) else { return .refused }
    defer { leave(option) }
    return .passed(try await body())
  }

  /// Passes for `option` and hands the ``Passage`` (read there how to hold it) to the caller; nil when refused.
  public func acquire(for option: Value.Element) -> Passage? {
    own(option) ? Passage(open: { self.leave(option) }) : nil
  }

  @inlinable func own(_ option: Value.Element) -> Bool {
    taken.withLock { !$0.unowned.overlaps(option) && $0.owned.take(option) }
  }

  @inlinable func leave(_ option: Value.Element) { _ = taken.withLock { $0.owned.remove(option) } }
}

extension SetAlgebra {
  /// Whether any of what `option` names is in here; true of the empty option.
  ///
  /// An option set's element is itself a set, and `contains` would let it pass when it is taken only in part.
  @inlinable func overlaps(_ option: Element) -> Bool {
    guard Element.self == Self.self, let several = option as? Self else { return !isEmpty && contains(option) }
    return several.isEmpty || !isDisjoint(with: several)
  }

  /// Puts in all that `option` names, or nothing.
  @inlinable mutating func take(_ option: Element) -> Bool {
    if Element.self != Self.self, Self.self is any TellingSet.Type { return insert(option).inserted }
    if overlaps(option) { return false }
    insert(option)
    return true
  }
}

/// A set whose `insert` says truly whether the element is new, so that asking first would be hashing twice.
///
/// Foundation's `IndexSet` and `CharacterSet` call every element new.
@usableFromInline protocol TellingSet {}

extension Set: TellingSet {}
