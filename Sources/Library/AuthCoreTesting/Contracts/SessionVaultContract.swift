public import AuthCore

/// The rules for every ``AuthCore/SessionVault``, as named checks that run in any test framework.
///
/// Give each check a fresh subject; it returns nil or the violation. In Swift Testing,
/// `@Test(arguments: SessionVaultContract.checks)` makes each check a test.
public struct SessionVaultContract: Contract, Sendable {
  /// An empty vault to check.
  public struct Subject: Sendable {
    /// The vault to check.
    public let vault: any SessionVault
    /// Opens the same storage again, as the next process does; nil if that is not possible: then
    /// the checks that need it do nothing.
    public let reopen: (@Sendable () async -> any SessionVault)?
    /// Makes the content unreadable; nil if that is not possible.
    public let corrupt: (@Sendable () async -> Void)?
    /// Counts the pieces of evidence that the vault has set aside; nil if they cannot be counted.
    public let evidence: (@Sendable () async -> Int)?
    /// Whether ``AuthCore/SessionVault/lockExchange(of:wait:)`` also excludes other processes; the
    /// checks then use ``reopen`` in place of another process.
    public let locksAcrossProcesses: Bool

    /// Creates a subject.
    public init(
      vault: any SessionVault, reopen: (@Sendable () async -> any SessionVault)? = nil,
      corrupt: (@Sendable () async -> Void)? = nil, evidence: (@Sendable () async -> Int)? = nil,
      locksAcrossProcesses: Bool = false
    ) {
      self.vault = vault
      self.reopen = reopen
      self.corrupt = corrupt
      self.evidence = evidence
      self.locksAcrossProcesses = locksAcrossProcesses
    }
  }

  /// All rules.
  public static let checks: [Check] = keeping + corruption + locks
}

extension SessionVaultContract {
  /// A token such as authorities issue: any bytes, including zero and line endings.
  static func token(_ number: UInt8) -> SessionToken {
    SessionToken(bytes: [number, 0, 10, 13, 34, 92, 255] + Array(repeating: number, count: 25))
  }

  /// A user with names that a careless file format loses.
  static let user = LastKnownUser(username: "ann \u{0}\n\u{1F511}", displayName: "")
}

extension SessionVaultContract.Subject {
  @discardableResult
  func store(_ token: SessionToken, of user: LastKnownUser? = nil) async throws -> VaultReading {
    try await vault.store(token, of: user)
  }

  func replace(_ old: SessionToken, with new: SessionToken, of user: LastKnownUser? = nil) async throws -> Bool {
    try await vault.replace(old, with: new, TokenDetails(user: user))
  }

  func expectReading(_ expected: VaultReading, _ moment: String) async throws {
    try await require(vault.load(), is: expected, "\(moment) the vault reads as")
  }
}

extension SessionVault {
  /// Saves the token of a user, without other details.
  @discardableResult
  package func store(_ token: SessionToken, of user: LastKnownUser? = nil) async throws(VaultError) -> VaultReading {
    try await store(token, TokenDetails(user: user))
  }
}
