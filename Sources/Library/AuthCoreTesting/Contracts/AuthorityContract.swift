public import AuthCore

/// The rules for every ``AuthCore/Authority``, as named checks that run in any test framework.
///
/// Give each check a fresh subject; it returns nil or the violation.
///
/// ```swift
/// import AuthCore
/// import AuthCoreTesting
///
/// func violations(of make: () async throws -> AuthorityContract.Subject) async rethrows -> [ContractViolation] {
///   try await AuthorityContract.violations(of: make)
/// }
/// ```
///
/// In Swift Testing, `@Test(arguments: AuthorityContract.checks)` makes each check a test. The
/// source of the rules is ``AuthCore/Authority``; a check states any other source.
public struct AuthorityContract: Contract, Sendable {
  /// An authority to check, with two accounts and no sessions.
  public struct Subject: Sendable {
    /// The authority to check.
    public let authority: any Authority
    /// An account and its password.
    public let first: Credentials
    /// Another account and its password.
    public let second: Credentials
    /// Moves the clock of the authority's limits; nil if it cannot move: then the checks that need
    /// it do nothing.
    public let advance: (@Sendable (Duration) async -> Void)?
    /// Makes the authority unavailable, or available again; nil if that is not possible: then the
    /// checks that need it do nothing.
    public let setAvailable: (@Sendable (Bool) async -> Void)?
    /// Returns a correct answer to the second step of the first account, a new one at each call;
    /// nil if that account has no second step: then the checks that need it do nothing.
    public let code: (@Sendable () async -> Secret)?
    /// An authority of another server or another client, to which the tokens of ``authority`` do
    /// not belong; nil if yours has only one: then the checks that need it do nothing.
    public let stranger: (any Authority)?

    /// Creates a subject.
    public init(
      authority: any Authority, first: Credentials, second: Credentials,
      advance: (@Sendable (Duration) async -> Void)? = nil,
      setAvailable: (@Sendable (Bool) async -> Void)? = nil, code: (@Sendable () async -> Secret)? = nil,
      stranger: (any Authority)? = nil
    ) {
      self.authority = authority
      self.first = first
      self.second = second
      self.advance = advance
      self.setAvailable = setAvailable
      self.code = code
      self.stranger = stranger
    }
  }

  /// All rules, in reading order.
  public static let checks: [Check] =
    answers + sessions + exchanges + accessTokens + limits + faults + challenges + origins
}
