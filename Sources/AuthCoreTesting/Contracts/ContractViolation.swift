/// What a conformer did that its protocol does not allow.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule, as the check is named.
  public let check: String
  /// What was seen.
  public let finding: String

  package init(check: String, finding: String) {
    self.check = check
    self.finding = finding
  }

  /// The rule and what was seen, in one line.
  public var description: String { "\(check): \(finding)" }
}

/// One breach inside a check; the check adds its name.
package struct Breach: Error {
  package let finding: String

  package init(_ finding: String) {
    self.finding = finding
  }
}

/// Ends the check unless `condition` holds.
package func require(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Breach) {
  guard condition else { throw Breach(finding()) }
}
