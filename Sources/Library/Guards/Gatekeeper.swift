public import ConcurrencyKit
public import Synchronization

/// Lets one caller through at a time; a refused call changes nothing.
///
/// All references are the same gate. `Gatekeeper()` has one condition. With an option set or a
/// `Set`, each element is a separate condition, and an option with several elements takes all of
/// them or none. The empty option is always refused. `==` and `hash` of an element run under the
/// gate's lock, so they must not use the gate.
///
/// A passage is *unowned* or *owned*. ``attemptPassage()`` begins an unowned passage: any call of
/// ``reset()`` ends it. `withPassage` and ``acquire()`` begin an owned passage: only its holder
/// ends it.
///
/// The idea and the names: Dan Loman, "Use a Gatekeeper to manage control flow", 2021.
public final class Gatekeeper<Value>: Sendable {
  @usableFromInline enum Phase: UInt8, AtomicRepresentable, Sendable { case open, unowned, owned }

  @usableFromInline let phase = Atomic(Phase.open)  // For one condition.
  @usableFromInline let taken: Locked<(unowned: Value, owned: Value)>  // For a set of conditions.

  init(_ taken: sending (unowned: Value, owned: Value)) { self.taken = Locked(taken) }
}

extension Gatekeeper where Value == Bool {
  /// Creates an open gate.
  public convenience init() { self.init((false, false)) }

  /// Whether the gate is open now; another caller can pass before you act on it.
  @inlinable public var mayPass: Bool { phase.load(ordering: .acquiring) == .open }

  /// Begins an unowned passage if the gate is open; call ``reset()`` only after it returned true.
  @inlinable @discardableResult public func attemptPassage() -> Bool { shut(.unowned) }

  /// Ends an unowned passage of any caller; has no effect on an owned one.
  @inlinable public func reset() {
    _ = phase.compareExchange(expected: .unowned, desired: .open, ordering: .releasing)
  }

  /// Runs `body` if the gate is open, and opens the gate again however the body ends.
  @inlinable public func withPassage<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> PassageOutcome<Result> {
    guard shut(.owned) else { return .refused }
    defer { phase.store(.open, ordering: .releasing) }
    return .passed(try body())
  }

  /// Runs `body` if the gate is open, and opens the gate again however the body ends; never waits.
  public func withPassage<Result, Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> PassageOutcome<Result> {
    guard shut(.owned) else { return .refused }
    defer { phase.store(.open, ordering: .releasing) }
    return .passed(try await body())
  }

  /// Begins an owned passage and returns it, or returns nil; ``Passage`` says how to hold it.
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

  /// Whether all elements of `option` are open now; another caller can pass before you act on it.
  @inlinable public func mayPass(for option: Value.Element) -> Bool {
    taken.withLock { !$0.owned.overlaps(option) && !$0.unowned.overlaps(option) }
  }

  /// Begins unowned passages for all elements of `option` or none; call ``reset(for:)`` only after
  /// it returned true.
  @inlinable @discardableResult public func attemptPassage(for option: Value.Element) -> Bool {
    taken.withLock { !$0.owned.overlaps(option) && $0.unowned.take(option) }
  }

  /// Ends unowned passages for the elements of `option`; has no effect on owned ones.
  @inlinable public func reset(for option: Value.Element) {
    // Released after the lock: the element can have a `deinit` that uses this gate.
    _ = taken.withLock { $0.unowned.remove(option) }
  }

  /// Runs `body` if `option` is open, and opens it again however the body ends.
  @inlinable public func withPassage<Result, Failure: Error>(
    for option: Value.Element, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> PassageOutcome<Result> {
    guard own(option) else { return .refused }
    defer { leave(option) }
    return .passed(try body())
  }

  /// Runs `body` if `option` is open, and opens it again however the body ends; never waits.
  public func withPassage<Result, Failure: Error>(
    for option: Value.Element, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> PassageOutcome<Result> {
    guard own(option) else { return .refused }
    defer { leave(option) }
    return .passed(try await body())
  }

  /// Begins an owned passage for `option` and returns it; nil when refused.
  public func acquire(for option: Value.Element) -> Passage? {
    own(option) ? Passage(open: { self.leave(option) }) : nil
  }

  @inlinable func own(_ option: Value.Element) -> Bool {
    taken.withLock { !$0.unowned.overlaps(option) && $0.owned.take(option) }
  }

  @inlinable func leave(_ option: Value.Element) { _ = taken.withLock { $0.owned.remove(option) } }
}

extension SetAlgebra {
  /// Whether the set contains any element of `option`; true for the empty option.
  ///
  /// An element of an option set is also a set, and `contains` is false if only a part is
  /// contained.
  @inlinable func overlaps(_ option: Element) -> Bool {
    guard Element.self == Self.self, let several = option as? Self else { return !isEmpty && contains(option) }
    return several.isEmpty || !isDisjoint(with: several)
  }

  /// Inserts all elements of `option`, or nothing.
  @inlinable mutating func take(_ option: Element) -> Bool {
    if Element.self != Self.self, Self.self is any TrueInsertion.Type { return insert(option).inserted }
    if overlaps(option) { return false }
    insert(option)
    return true
  }
}

/// A set whose `insert` reports whether the element is new, so that it is hashed only once.
///
/// `IndexSet` and `CharacterSet` of Foundation report every element as new.
@usableFromInline protocol TrueInsertion {}

extension Set: TrueInsertion {}
