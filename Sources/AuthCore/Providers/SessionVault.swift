/// The result of reading a vault.
public enum VaultReading: Hashable, Sendable {
  /// Proven: the vault is empty.
  case absent
  /// The vault holds this token, saved for this user; nil if the vault does not know the user.
  case token(SessionToken, of: LastKnownUser? = nil)
  /// The vault could not be read. It may hold something.
  case unavailable(VaultError)
  /// The content of the vault is unusable.
  case corrupt(VaultEvidence)
}

/// Describes unusable vault content.
public struct VaultEvidence: Hashable, Sendable {
  /// Its location and the problem, in one line.
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
  /// The location and the problem, in one line, without secrets.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String

  /// Creates an error.
  public init(_ description: String, hint: String = "Try again; nothing was changed.") {
    self.description = description
    self.hint = hint
  }
}

/// Stores the session token of this device, with the name of its user for display.
///
/// Every change is atomic, and durable when the call returns. The vault sets unreadable content
/// aside; it never destroys or overwrites it. An implementation may block its caller. It should
/// pass the contract suite in `AuthCoreTesting`.
public protocol SessionVault: Sendable {
  /// Reads the vault and changes nothing, not even corrupt content.
  func load() async -> VaultReading

  /// Saves `token` and its user in place of the current content; sets corrupt content aside first.
  ///
  /// - Returns: The replaced content, read in the same step: several simultaneous calls each
  ///   replace a different token, and the store revokes a replaced token.
  @discardableResult
  func store(_ token: SessionToken, of user: LastKnownUser?) async throws(VaultError) -> VaultReading

  /// Saves `new` and its user if the vault holds `old`.
  ///
  /// - Returns: False, with no change, when the vault is empty or holds another token: a late
  ///   renewal must not restore a token that a logout erased.
  func replace(
    _ old: SessionToken, with new: SessionToken, of user: LastKnownUser?
  ) async throws(VaultError) -> Bool

  /// Erases `token` if the vault holds it, and nothing else; an empty vault is success.
  func erase(_ token: SessionToken) async throws(VaultError)

  /// Moves unreadable content to another location, as evidence.
  ///
  /// - Returns: The new location, or nil if there was no such content.
  func setAside() async throws(VaultError) -> String?
}
