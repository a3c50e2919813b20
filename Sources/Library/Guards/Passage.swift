/// An owned passage through a ``Gatekeeper``, which ends when this value is destroyed.
///
/// Prefer `withPassage`. `_ = gate.acquire()`, `guard let _ = gate.acquire()` and `gate.acquire()
/// != nil` end the passage immediately. For a variable that is never read, the compiler suggests `_
/// =`, which is that mistake: call ``leave()`` instead.
public struct Passage: ~Copyable, Sendable {
  let open: @Sendable () -> Void

  /// Ends the passage here, before the end of the scope.
  public consuming func leave() {}

  deinit { open() }
}

/// The result of `withPassage`; the compiler warns when it is not used.
///
/// Frozen: a later version adds no case.
public enum PassageOutcome<Value> {
  /// The body ran and returned this.
  case passed(Value)
  /// Another caller was inside; nothing ran.
  case refused
  /// Whether nothing ran.
  public var isRefused: Bool { if case .refused = self { true } else { false } }
}

extension PassageOutcome: Sendable where Value: Sendable {}
extension PassageOutcome: Equatable where Value: Equatable {}
