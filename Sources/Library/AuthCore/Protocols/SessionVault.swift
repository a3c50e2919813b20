/// The result of reading a vault.
///
/// Frozen: a later version adds no case.
public enum VaultReading: Hashable, Sendable {
  /// Proven: the vault is empty.
  case absent
  /// The vault holds this token, and these details with it.
  case token(SessionToken, TokenDetails = TokenDetails())
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
  /// A stable name for programs, in snake case.
  public let code: String

  /// Creates the error of a vault that cannot read or change the saved session.
  public init(
    _ description: String, hint: String = "Try again; nothing was changed.", code: String = "vault_error"
  ) {
    self.description = description
    self.hint = hint
    self.code = code
  }
}

/// Stores the session token of this device, with its details: the name of its user for display, and
/// its last access token.
///
/// Every change is atomic, and durable when the call returns. The vault sets unreadable content
/// aside; it never destroys or overwrites it. An implementation may block its caller. It should
/// pass the contract suite in `AuthCoreTesting`.
public protocol SessionVault: Sendable {
  /// Reads the vault and changes nothing, not even corrupt content.
  func load() async -> VaultReading

  /// Saves `token` and its details in place of the current content; sets corrupt content aside
  /// first.
  ///
  /// - Returns: The replaced content, read in the same step: several simultaneous calls each
  ///   replace a different token, and the store revokes a replaced token.
  @discardableResult
  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading

  /// Saves `new` and its details if the vault holds `old`.
  ///
  /// - Returns: False, with no change, when the vault is empty or holds another token: a late
  ///   renewal must not restore a token that a logout erased.
  func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool

  /// Erases `token` if the vault holds it, and nothing else; an empty vault is success.
  func erase(_ token: SessionToken) async throws(VaultError)

  /// Moves unreadable content to another location, as evidence.
  ///
  /// - Returns: The new location, or nil if there was no such content.
  func setAside() async throws(VaultError) -> String?

  /// Locks the exchange of `token`, for an authority that spends it; see
  /// ``TokenExchange/spendsOld``.
  ///
  /// The lock lasts until it is released, and excludes only other locks of this session: an
  /// erasure or a store never waits for it. The default serves the stores of one process. A vault
  /// that several processes share, such as an app and its extension, must exclude all of them,
  /// notice that a process ended before it released its lock, and note a refusal.
  ///
  /// - Parameters:
  ///   - token: The token to exchange, as the caller read it.
  ///   - wait: The longest wait for another lock.
  /// - Returns: The lock, or why there is none.
  /// - Throws: `VaultError` if the vault cannot be used: then do not use the token.
  func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult

  /// Whether an exchange of `token` began, was never finished, and nobody is at it.
  ///
  /// The default is false.
  func isInterrupted(_ token: SessionToken) async -> Bool
}

extension SessionVault {
  /// Locks the token for this process.
  public func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult {
    await LocalLocks.shared.lock(token, in: self, wait: wait)
  }

  /// False: an exchange ends with its process.
  public func isInterrupted(_ token: SessionToken) async -> Bool { false }
}
