import AuthRules
import CPostgres

/// The rows of one answer of the server.
final class ServerResult {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit {
    PQclear(result)
  }

  var count: Int32 { PQntuples(result) }

  /// How many rows the statement changed.
  var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// A row of an answer in binary form.
  func columns(_ row: Int32) -> Columns { Columns(result: self, row: row) }

  /// All rows of an answer in text form.
  var texts: [[String?]] {
    (0..<count).map { row in
      let columns = columns(row)
      return (0..<PQnfields(result)).map { column in
        columns.isNull(column) ? nil : String(decoding: columns.blob(column), as: UTF8.self)
      }
    }
  }

  struct Columns: RowColumns {
    fileprivate let result: ServerResult
    fileprivate let row: Int32

    /// A number of eight or four bytes, or a truth value of one.
    func integer(_ column: Int32) -> Int64 {
      let bytes = blob(column)
      guard let first = bytes.first else { return 0 }
      let sign: Int64 = bytes.count > 1 && first & 0x80 != 0 ? -1 : 0
      return bytes.prefix(8).reduce(sign) { $0 << 8 | Int64($1) }
    }

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result.result, row, column) != 0 }

    func blob(_ column: Int32) -> [UInt8] {
      guard !isNull(column), let start = PQgetvalue(result.result, row, column) else { return [] }
      return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result.result, row, column))))
    }
  }
}
