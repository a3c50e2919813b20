package import AuthAccounts
package import AuthCore
import AuthDevice

/// The statements of one concept, as a closed list, so that a test can check the plan of
/// each.
///
/// One text serves SQLite and PostgreSQL. Values are named `$1`, `$2` and so on in the order of
/// their first appearance, which is how SQLite numbers them.
package protocol Query: CaseIterable {
  var sql: String { get }
}

extension Query where Self: RawRepresentable<String> {
  package var sql: String { rawValue }
}

/// A value as a database stores it.
package enum SQLValue: Hashable, Sendable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

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

/// A value that can be bound to a statement.
package protocol SQLBindable {
  var bound: SQLValue { get }
}

/// A value that reads itself from a row: from its first column, or from several.
package protocol RowDecodable {
  init(_ row: Row) throws(BackendError)
}

/// One row of a result, or the rest of it from a column on; valid until the statement's next step.
package struct Row {
  private let columns: any RowColumns
  private let start: Int32
  private let db: any Transaction

  package init(_ columns: any RowColumns, from start: Int32 = 0, of db: any Transaction) {
    (self.columns, self.start, self.db) = (columns, start, db)
  }

  /// Reads a value that takes one or more columns, from `column` on.
  ///
  /// A column that holds NULL, or that is no number, reads as 0 and as an empty text.
  package subscript<Value: RowDecodable>(_ column: Int32) -> Value {
    get throws(BackendError) { try Value(Row(columns, from: start + column, of: db)) }
  }

  fileprivate var integer: Int64 { columns.integer(start) }
  fileprivate var isNull: Bool { columns.isNull(start) }
  fileprivate var blob: [UInt8] { columns.blob(start) }

  /// The error for inconsistent data.
  func damaged(_ detail: String) -> BackendError { db.damaged(detail) }
}

/// The columns of a row, as a driver has them.
package protocol RowColumns {
  func integer(_ column: Int32) -> Int64
  func isNull(_ column: Int32) -> Bool
  /// The bytes of a text or a blob.
  func blob(_ column: Int32) -> [UInt8]
}

// How each type of value is stored.

extension SQLValue: SQLBindable {
  package var bound: SQLValue { self }
}

extension Int64: SQLBindable, RowDecodable {
  package var bound: SQLValue { .integer(self) }
  package init(_ row: Row) { self = row.integer }
}

extension Int: SQLBindable, RowDecodable {
  package var bound: SQLValue { .integer(Int64(self)) }
  package init(_ row: Row) { self = Int(row.integer) }
}

extension Bool: SQLBindable, RowDecodable {
  package var bound: SQLValue { .integer(self ? 1 : 0) }
  package init(_ row: Row) { self = row.integer != 0 }
}

extension String: SQLBindable, RowDecodable {
  package var bound: SQLValue { .text(self) }
  package init(_ row: Row) { self.init(decoding: row.blob, as: UTF8.self) }
}

extension [UInt8]: SQLBindable, RowDecodable {
  package var bound: SQLValue { .blob(self) }
  package init(_ row: Row) { self = row.blob }
}

/// NULL is nil.
extension Optional: RowDecodable where Wrapped: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    self = row.isNull ? nil : try Wrapped(row)
  }
}

/// In microseconds since 1970.
extension WallTime: SQLBindable, RowDecodable {
  package var bound: SQLValue { .integer(microseconds) }
  package init(_ row: Row) { self.init(microseconds: row.integer) }
}

extension Duration {
  /// The value that a row can store: whole nanoseconds within 64 bits.
  var stored: Duration { .nanoseconds(wholeNanoseconds) }
}

/// In nanoseconds.
extension Duration: SQLBindable, RowDecodable {
  package var bound: SQLValue { .integer(wholeNanoseconds) }
  package init(_ row: Row) { self = .nanoseconds(row.integer) }
}

/// Boot and nanoseconds since it, in two columns.
extension BootInstant: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    self.init(boot: try row[0], uptime: try row[1])
  }
}

extension BootID: SQLBindable, RowDecodable {
  package var bound: SQLValue { .blob(bytes) }
  package init(_ row: Row) throws(BackendError) {
    guard let boot = BootID(row.blob) else { throw row.damaged("a boot id has a wrong length") }
    self = boot
  }
}

extension SessionID: SQLBindable, RowDecodable {
  package var bound: SQLValue { .text(rawValue) }
  package init(_ row: Row) { self.init(rawValue: String(row)) }
}

extension EndReason: SQLBindable, RowDecodable {
  package var bound: SQLValue { .text(code) }
  package init(_ row: Row) throws(BackendError) {
    guard let reason = EndReason(code: String(row)) else { throw row.damaged("a session ended for an unknown reason") }
    self = reason
  }
}

extension Role: SQLBindable, RowDecodable {
  package var bound: SQLValue { .text(rawValue) }
  package init(_ row: Row) throws(BackendError) {
    guard let role = Role.known(String(row)) else { throw row.damaged("an account has an unknown role") }
    self = role
  }
}

/// Id, name, display name and role, in four columns.
extension User: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    let number: Int64 = try row[0]
    self.init(id: UserID(rawValue: "u\(number)"), username: try row[1], displayName: try row[2], role: try row[3])
  }
}
