public import AuthCore

/// What every ``Authority`` must do, as named checks that run in any test framework.
///
/// Give each check a fresh subject; it answers nil, or what was violated.
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
/// In Swift Testing, `@Test(arguments: AuthorityContract.checks)` makes a test of each. The rules are those of ``Authority``; where they have another source,
/// the check names it.
public struct AuthorityContract: Sendable {
  /// An authority to check, with two accounts that it knows and no sessions of theirs.
  public struct Subject: Sendable {
    /// The conformer.
    public let authority: any Authority
    /// An account and its password.
    public let first: Credentials
    /// Another account and its password.
    public let second: Credentials
    /// Moves the clock that the authority measures its limits by; nil where it cannot be moved, and what needs it is not checked.
    public let advance: (@Sendable (Duration) async -> Void)?
    /// Makes the authority unable to answer, or able again; nil where that cannot be done, and what needs it is not checked.
    public let setAvailable: (@Sendable (Bool) async -> Void)?

    /// Creates a subject.
    public init(
      authority: any Authority, first: Credentials, second: Credentials,
      advance: (@Sendable (Duration) async -> Void)? = nil,
      setAvailable: (@Sendable (Bool) async -> Void)? = nil
    ) {
      self.authority = authority
      self.first = first
      self.second = second
      self.advance = advance
      self.setAvailable = setAvailable
    }
  }

  /// One rule.
  public struct Check: Sendable, CustomStringConvertible {
    /// The rule, in words.
    public let name: String
    private let body: @Sendable (Probe) async throws(Breach) -> Void

    init(_ name: String, _ body: @escaping @Sendable (Probe) async throws(Breach) -> Void) {
      self.name = name
      self.body = body
    }

    /// The rule, in words.
    public var description: String { name }

    /// Runs the check on a fresh subject.
    ///
    /// - Returns: What was violated, or nil.
    public func run(on subject: Subject) async -> ContractViolation? {
      do throws(Breach) {
        try await body(Probe(subject: subject))
        return nil
      } catch {
        return ContractViolation(check: name, finding: error.finding)
      }
    }
  }

  /// All rules, in the order in which they read best.
  public static let checks: [Check] = answers + sessions + exchanges + limits + faults

  /// Runs all checks, each on a fresh subject.
  public static func violations(of make: () async throws -> Subject) async rethrows -> [ContractViolation] {
    var violations: [ContractViolation] = []
    for check in checks {
      if let violation = await check.run(on: try await make()) { violations.append(violation) }
    }
    return violations
  }
}
