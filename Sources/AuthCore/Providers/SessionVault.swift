/// The result of reading a vault.
public enum VaultReading: Hashable, Sendable {
  /// Proven: the vault is empty.
  case absent
  /// The vault holds this token.
  case token(SessionToken)
  /// The vault could not be read. It may hold something.
  case unavailable(VaultError)
  /// The vault holds something unusable.
  case corrupt(VaultEvidence)
}

/// What is known about unusable vault content.
public struct VaultEvidence: Hashable, Sendable {
  /// Where it is and what is wrong with it, in one line.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String
  /// The token, if it is still readable: a logout revokes it.
  ///
  /// The store never uses it to log in.
  package let salvaged: SessionToken?

  /// Creates evidence.
  public init(_ description: String, hint: String, salvaged: SessionToken? = nil) {
    self.description = description
    self.hint = hint
    self.salvaged = salvaged
  }
}

/// The vault could not be read or written.
public struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which place, and what is wrong, in one line, without secrets.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String

  /// Creates an error.
  public init(_ description: String, hint: String = "Try again; nothing was changed.") {
    self.description = description
    self.hint = hint
  }
}

/// The place where this device keeps its session token.
///
/// Every change is atomic, and durable when the call returns. The vault sets unreadable content
/// aside; it never destroys or overwrites it. An implementation may block its caller.
/// `AuthCoreTesting` has the contract suite that it should pass.
public protocol SessionVault: Sendable {
  /// Reads the vault. It changes nothing, not even corrupt content.
  func load() async -> VaultReading

  /// Saves `token` in place of the present content; corrupt content is set aside first.
  ///
  /// - Returns: The replaced content, read in the same step: of several calls at once, each
  ///   replaces another token, and the store revokes a replaced token.
  @discardableResult
  func store(_ token: SessionToken) async throws(VaultError) -> VaultReading

  /// Saves `new` if the vault holds `old`.
  ///
  /// - Returns: False, with nothing changed, when the vault holds something else or nothing: a late
  ///   renewal must not bring back what a logout erased.
  func replace(_ old: SessionToken, with new: SessionToken) async throws(VaultError) -> Bool

  /// Erases `token` if the vault holds it; anything else stays. An empty vault is success.
  func erase(_ token: SessionToken) async throws(VaultError)

  /// Moves unreadable content out of the way, and keeps it as evidence.
  ///
  /// - Returns: The new place, or nil when there was no such content.
  func setAside() async throws(VaultError) -> String?
}
