/// What a vault found when it looked.
public enum VaultReading: Hashable, Sendable {
  /// Proven: nothing is kept.
  case absent
  /// This token is kept.
  case token(SessionToken)
  /// It could not look. Something may be kept.
  case unavailable(VaultError)
  /// Something is kept that cannot be used.
  case corrupt(VaultEvidence)
}

/// What is known of vault content that cannot be used.
public struct VaultEvidence: Hashable, Sendable {
  /// Where it is and what is wrong with it, in one line.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String
  /// The token, if it can still be read: logging out revokes it.
  ///
  /// It is never used to log in.
  public let salvaged: SessionToken?

  /// Creates evidence.
  public init(_ description: String, hint: String, salvaged: SessionToken? = nil) {
    self.description = description
    self.hint = hint
    self.salvaged = salvaged
  }
}

/// The vault could not look or could not write.
public struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which place, and what is wrong, in one line, without secrets.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String

  /// Creates a failure.
  public init(_ description: String, hint: String = "Try again; nothing was changed.") {
    self.description = description
    self.hint = hint
  }
}

/// Where this device keeps its session token.
///
/// Every change is atomic and durable when it returns. Content that cannot be understood is set aside, never destroyed and never
/// overwritten. An implementation may block its caller. `AuthCoreTesting` has the contract suite that it should pass.
public protocol SessionVault: Sendable {
  /// Looks. It changes nothing, not even what is corrupt.
  func load() async -> VaultReading

  /// Keeps `token` in place of whatever is there; corrupt content is set aside first.
  ///
  /// - Returns: What it took the place of, read in the same step: of several stores at once, each displaces another token, and a displaced
  ///   token is revoked.
  @discardableResult
  func store(_ token: SessionToken) async throws(VaultError) -> VaultReading

  /// Keeps `new` if `old` is what is kept.
  ///
  /// - Returns: False, with nothing changed, when something else or nothing is kept: a late renewal must not bring back
  ///   what a logout erased.
  func replace(_ old: SessionToken, with new: SessionToken) async throws(VaultError) -> Bool

  /// Forgets `token` if it is what is kept; anything else stays. A vault that is empty already is success.
  func erase(_ token: SessionToken) async throws(VaultError)

  /// Moves content that cannot be understood out of the way, keeping it as evidence.
  ///
  /// - Returns: Where it is now, or nil when there was nothing of the kind.
  func setAside() async throws(VaultError) -> String?
}
