import AuthBackend
import CSQLite

/// The statements of one concept, as a closed list, so that a test can ask for the plan of every
/// one.
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

/// One row of a result, valid until the statement moves on.
struct Row {
  private let statement: OpaquePointer

  init(of statement: OpaquePointer) {
    self.statement = statement
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func flag(_ column: Int32) -> Bool { integer(column) != 0 }
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
  func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }
  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// All columns, as they are stored.
  var exported: [ExportedValue] {
    (0..<sqlite3_column_count(statement)).map { column in
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: .number(integer(column))
      case SQLITE_TEXT: .text(text(column))
      case SQLITE_BLOB: .bytes(blob(column))
      case _: .null
      }
    }
  }

  func blob(_ column: Int32) -> [UInt8] {
    // The order matters: the pointer first, then its length (sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
