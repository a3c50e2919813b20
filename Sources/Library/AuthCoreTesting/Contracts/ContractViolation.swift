/// A broken rule of a protocol.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule: the name of the check.
  public let check: String
  /// What the implementation did.
  public let finding: String

  /// The rule and what the implementation did, in one line.
  public var description: String { "\(check): \(finding)" }
}

/// A violation inside a check; the check adds its name.
package struct Breach: Error {
  package let finding: String

  package init(_ finding: String) {
    self.finding = finding
  }
}

/// Ends the check unless `condition` is true.
package func require(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Breach) {
  guard condition else { throw Breach(finding()) }
}

/// Throws a breach unless a value is the wanted one; the finding ends with what was found instead.
package func require<Value: Equatable>(_ found: Value, is wanted: Value, _ finding: String) throws(Breach) {
  try require(found == wanted, "\(finding) \(found), not \(wanted)")
}
