/// The statements of one concept, as a closed list, so that a test can ask for the plan of every
/// one.
///
/// One text serves SQLite and PostgreSQL. Values are named `$1`, `$2` and so on in the order of
/// their first appearance, which is how SQLite numbers them.
package protocol Query: RawRepresentable<String>, CaseIterable {}

/// A value that is bound to a statement.
package enum SQLValue: Hashable, Sendable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  package static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  package static func text(_ value: String?) -> SQLValue { if let value { .text(value) } else { .null } }
  package static func blob(_ value: [UInt8]?) -> SQLValue { if let value { .blob(value) } else { .null } }

  /// A pattern for `LIKE … ESCAPE '!'` that a text in lower case matches if it contains this one
  /// in any case.
  ///
  /// Only ASCII letters have cases, as in both databases. NUL is left out: PostgreSQL has none.
  /// SQLite refuses a pattern of more than 50,000 bytes as if the file were damaged. A text longer
  /// than any row is contained in nothing.
  package static func pattern(containing text: String) -> SQLValue {
    let longest = 16_384
    guard text.utf8.count <= longest else { return .text("") }
    var pattern = "%"
    for scalar in text.unicodeScalars where scalar != "\0" {
      if "!%_".unicodeScalars.contains(scalar) { pattern += "!" }
      pattern += scalar.isASCII ? Character(scalar).lowercased() : String(scalar)
    }
    return .text(pattern + "%")
  }
}

/// One row of a result, valid until the statement moves on.
///
/// A column that holds NULL, or that is no number, reads as 0 and as an empty text.
package struct Row {
  private let columns: any RowColumns

  package init(_ columns: any RowColumns) {
    self.columns = columns
  }

  package func integer(_ column: Int32) -> Int64 { columns.integer(column) }
  package func flag(_ column: Int32) -> Bool { columns.integer(column) != 0 }
  package func isNull(_ column: Int32) -> Bool { columns.isNull(column) }
  package func blob(_ column: Int32) -> [UInt8] { columns.blob(column) }
  package func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }
  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
}

/// The columns of a row, as a driver has them.
package protocol RowColumns {
  func integer(_ column: Int32) -> Int64
  func isNull(_ column: Int32) -> Bool
  /// The bytes of a text or a blob.
  func blob(_ column: Int32) -> [UInt8]
}
