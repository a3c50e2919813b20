public import Synchronization

/// Lets one caller through at a time; a refused call changes nothing.
///
/// Copies are the same gate. `Gatekeeper()` has one condition. With an option set or a `Set`, each
/// element is a condition of its own, and an option that names several takes all of them or none.
/// The empty option is always refused. `==` and `hash` of an element run under the gate's lock, and
/// must not use the gate.
///
/// A passage is *unowned* or *owned*. ``attemptPassage()`` begins an unowned one, which any call of
/// ``reset()`` ends. `withPassage` and ``acquire()`` begin an owned one: it ends with its holder.
///
/// The idea and the names: Dan Loman, "Use a Gatekeeper to manage control flow", 2021.
public final class Gatekeeper<Value>: Sendable {
  @usableFromInline enum Phase: UInt8, AtomicRepresentable, Sendable { case open, unowned, owned }

  @usableFromInline let phase = Atomic(Phase.open)  // Of a gate with one condition.
  @usableFromInline let taken: Locked<(unowned: Value, owned: Value)>  // Of a gate for a set.

  init(_ taken: sending (unowned: Value, owned: Value)) { self.taken = Locked(taken) }
}

extension Gatekeeper where Value == Bool {
  /// Creates an open gate.
  public convenience init() { self.init((false, false)) }

  /// Whether the gate is open at this moment; an answer, not a reservation.
  @inlinable public var mayPass: Bool { phase.load(ordering: .acquiring) == .open }

  /// Passes unowned, if the gate is open; call ``reset()`` only after it returned true.
  @inlinable @discardableResult public func attemptPassage() -> Bool { shut(.unowned) }

  /// Ends an unowned passage, by whichever caller; an owned one stays.
  @inlinable public func reset() {
    _ = phase.compareExchange(expected: .unowned, desired: .open, ordering: .releasing)
  }

  /// Passes, runs `body` and opens the gate however the body ends, or runs nothing.
  @inlinable public func withPassage<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> PassageOutcome<Result> {
    guard shut(.owned) else { return .refused }
    defer { phase.store(.open, ordering: .releasing) }
    return .passed(try body())
  }

  /// Passes, runs `body` and opens the gate however the body ends, or runs nothing; never waits.
  public func withPassage<Result, Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> PassageOutcome<Result> {
    guard shut(.owned) else { return .refused }
    defer { phase.store(.open, ordering: .releasing) }
    return .passed(try await body())
  }

  /// Passes and returns the ``Passage``, which says how to hold it; nil when refused.
  public func acquire() -> Passage? {
    shut(.owned) ? Passage(open: { self.phase.store(.open, ordering: .releasing) }) : nil
  }

  @inlinable func shut(_ how: Phase) -> Bool {
    phase.compareExchange(expected: .open, desired: how, ordering: .acquiring).exchanged
  }
}

extension Gatekeeper where Value: SetAlgebra & Sendable, Value.Element: Sendable {
  /// Creates a gate with all conditions open.
  public convenience init() { self.init(([], [])) }

  /// Whether everything that `option` names is open at this moment; an answer, not a reservation.
  @inlinable public func mayPass(for option: Value.Element) -> Bool {
    taken.withLock { !$0.owned.overlaps(option) && !$0.unowned.overlaps(option) }
  }

  /// Passes unowned for all that `option` names, or for nothing; call ``reset(for:)`` only
  /// after it returned true.
  @inlinable @discardableResult public func attemptPassage(for option: Value.Element) -> Bool {
    taken.withLock { !$0.owned.overlaps(option) && $0.unowned.take(option) }
  }

  /// Ends unowned passages for what `option` names; owned ones stay.
  @inlinable public func reset(for option: Value.Element) {
    // Released after the lock: the element can have a `deinit` that uses this gate.
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

  /// Passes for `option`, runs `body` and opens however it ends, or runs nothing; never waits.
  public func withPassage<Result, Failure: Error>(
    for option: Value.Element, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> PassageOutcome<Result> {
    guard own(option) else { return .refused }
    defer { leave(option) }
    return .passed(try await body())
  }

  /// Passes for `option` and returns the ``Passage``; nil when refused.
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
  /// An element of an option set is a set too, and `contains` is false when only a part is in here.
  @inlinable func overlaps(_ option: Element) -> Bool {
    guard Element.self == Self.self, let several = option as? Self else { return !isEmpty && contains(option) }
    return several.isEmpty || !isDisjoint(with: several)
  }

  /// Inserts all that `option` names, or nothing.
  @inlinable mutating func take(_ option: Element) -> Bool {
    if Element.self != Self.self, Self.self is any TrueInsertion.Type { return insert(option).inserted }
    if overlaps(option) { return false }
    insert(option)
    return true
  }
}

/// A set whose `insert` tells whether the element is new, so that it is hashed once.
///
/// `IndexSet` and `CharacterSet` of Foundation answer that every element is new.
@usableFromInline protocol TrueInsertion {}

extension Set: TrueInsertion {}
