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

  /// Runs checks, each on a fresh subject.
  package static func violations(
    of checks: [ContractCheck], on make: () async throws -> Subject
  ) async rethrows -> [ContractViolation] {
    var violations: [ContractViolation] = []
    for check in checks {
      if let violation = await check.run(on: try await make()) { violations.append(violation) }
    }
    return violations
  }
}
