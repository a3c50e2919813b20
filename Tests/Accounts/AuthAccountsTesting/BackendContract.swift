public import AuthAccounts
public import AuthCore
public import AuthCoreTesting

/// The rules of every ``AuthAccounts/Backend``, as named checks that run in any test framework.
///
/// Give each check a fresh subject; it returns nil or the violation. Also run `AuthorityContract`,
/// which has the rules of logins, tokens and limits.
///
/// ```swift
/// import AuthAccountsTesting
/// import AuthCoreTesting
///
/// func violations(
///   of make: () async throws -> BackendContract.Subject
/// ) async rethrows -> [ContractViolation] {
///   try await BackendContract.violations(of: make)
/// }
/// ```
///
/// In Swift Testing, `@Test(arguments: BackendContract.checks)` makes each check a test.
public struct BackendContract: Contract, Sendable {
  /// The name and password of ``Subject/administrator``.
  public static let administrator = Credentials.password(username: "alice", password: Secret("correct horse battery"))

  /// A backend to check, without any account but ``administrator``.
  public struct Subject: Sendable {
    /// The backend to check.
    ///
    /// In its policy, a password must stay fresh for at most half of the idle limit.
    public let backend: any Backend
    /// The account of ``BackendContract/administrator``, for a backend where no registration
    /// creates an administrator; nil where the first one does.
    ///
    /// The registration must be open.
    public let administrator: User?
    /// Moves the clock of the backend's limits.
    public let advance: @Sendable (Duration) async -> Void
    /// Makes the backend unavailable, or available again; nil skips the check that needs it.
    public let setAvailable: (@Sendable (Bool) async -> Void)?

    /// Creates a subject.
    public init(
      backend: any Backend, administrator: User? = nil, advance: @escaping @Sendable (Duration) async -> Void,
      setAvailable: (@Sendable (Bool) async -> Void)? = nil
    ) {
      self.backend = backend
      self.administrator = administrator
      self.advance = advance
      self.setAvailable = setAvailable
    }
  }

  /// All rules, in reading order.
  public static let checks: [Check] =
    accounts + passwords + recovery + twoStep + sessions + payments + events + administration + registration
    + deletion + groups + proofs + keys
}

extension ContractCheck where Subject == BackendContract.Subject {
  init(_ name: String, _ body: @escaping @Sendable (BackendProbe) async throws -> Void) {
    self.init(name: name) { subject in try await body(BackendProbe(subject: subject)) }
  }

  /// A check with alice, the administrator, and bob logged in.
  init(_ name: String, _ body: @escaping @Sendable (BackendProbe, Login, Login) async throws -> Void) {
    self.init(name) { probe in
      let (alice, bob) = try await probe.aliceAndBob()
      try await body(probe, alice, bob)
    }
  }
}
