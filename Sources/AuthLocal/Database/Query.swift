/// The statements of one concept, as a closed list, so that a test can ask for the plan of every one.
package protocol Query: RawRepresentable<String>, CaseIterable {}

/// A value that is bound to a statement.
enum SQLValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  static func text(_ value: String?) -> SQLValue { if let value { .text(value) } else { .null } }
  static func blob(_ value: [UInt8]?) -> SQLValue { if let value { .blob(value) } else { .null } }
}
