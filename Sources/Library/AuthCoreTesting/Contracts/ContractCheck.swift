/// The rules for every conformer of a protocol, as named checks that run in any test framework.
///
/// Give each check a fresh subject; it returns nil or the violation. In Swift Testing,
/// `@Test(arguments: AuthorityContract.checks)` makes each check a test.
public protocol Contract {
  /// An implementation to check, with what the checks need.
  associatedtype Subject: Sendable
  /// All rules, in reading order.
  static var checks: [ContractCheck<Subject>] { get }
}

extension Contract {
  /// One rule.
  public typealias Check = ContractCheck<Subject>

  /// Runs all checks, each on a fresh subject.
  public static func violations(of make: () async throws -> Subject) async rethrows -> [ContractViolation] {
    var violations: [ContractViolation] = []
    for check in checks {
      if let violation = await check.run(on: try await make()) { violations.append(violation) }
    }
    return violations
  }
}

/// One rule of a contract.
public struct ContractCheck<Subject: Sendable>: Sendable, CustomStringConvertible {
  /// The rule as a sentence.
  public let name: String
  private let body: @Sendable (Subject) async throws -> Void

  /// Creates a check from a body that throws at a breach, or where an operation fails unexpectedly.
  package init(name: String, body: @escaping @Sendable (Subject) async throws -> Void) {
    self.name = name
    self.body = body
  }

  /// The rule as a sentence.
  public var description: String { name }

  /// Runs the check on a fresh subject.
  ///
  /// - Returns: The violation, or nil.
  public func run(on subject: Subject) async -> ContractViolation? {
    do {
      try await body(subject)
      return nil
    } catch {
      return ContractViolation(check: name, finding: (error as? Breach)?.finding ?? "an error was thrown: \(error)")
    }
  }
}
