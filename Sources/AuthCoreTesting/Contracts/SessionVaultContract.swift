public import AuthCore

/// The rules for every ``SessionVault``, as named checks that run in any test framework.
///
/// Give each check a fresh subject; it returns nil or the violation. In Swift Testing,
/// `@Test(arguments: SessionVaultContract.checks)` makes each check a test.
public struct SessionVaultContract: Sendable {
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

    /// Creates a subject.
    public init(
      vault: any SessionVault, reopen: (@Sendable () async -> any SessionVault)? = nil,
      corrupt: (@Sendable () async -> Void)? = nil, evidence: (@Sendable () async -> Int)? = nil
    ) {
      self.vault = vault
      self.reopen = reopen
      self.corrupt = corrupt
      self.evidence = evidence
    }
  }

  /// One rule.
  public typealias Check = ContractCheck<Subject>

  /// All rules.
  public static let checks: [Check] = keeping + corruption

  /// Runs all checks, each on a fresh subject.
  public static func violations(of make: () async throws -> Subject) async rethrows -> [ContractViolation] {
    try await Check.violations(of: checks, on: make)
  }
}

extension ContractCheck where Subject == SessionVaultContract.Subject {
  init(_ name: String, _ body: @escaping @Sendable (VaultProbe) async throws -> Void) {
    self.init(name: name) { subject in try await body(VaultProbe(subject: subject)) }
  }
}
