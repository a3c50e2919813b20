import AuthBackend
import CSQLite

/// The columns of the row that a statement stands at, valid until it moves on.
struct ColumnsOfStatement: RowColumns {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) {
    self.statement = statement
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func blob(_ column: Int32) -> [UInt8] {
    // The order matters: the pointer first, then its length (sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// All columns, as they are stored.
  var values: [SQLValue] {
    (0..<sqlite3_column_count(statement)).map { column in
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: .integer(integer(column))
      case SQLITE_TEXT: .text(String(decoding: blob(column), as: UTF8.self))
      case SQLITE_BLOB: .blob(blob(column))
      case _: .null
      }
    }
  }
}
