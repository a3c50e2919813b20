import AuthBackend
import AuthCore
import CPostgres
import Glibc

/// A connection with its statements kept prepared.
///
/// Use it from one thread at a time.
final class PreparedStatements: @unchecked Sendable {  // Safe: the pool lends it to one transaction at a time.
  let connection: ServerConnection
  /// The database at the other end.
  let database: BootID
  private var names: [String: String] = [:]
  /// Sent with the next statement whose answer is read.
  private var added: [(sql: String, values: [SQLValue])] = []

  init(_ connection: ServerConnection, to database: BootID) {
    self.connection = connection
    self.database = database
  }

  /// Adds a statement whose answer nobody reads.
  func add(_ sql: String, _ values: [SQLValue] = []) {
    added.append((sql, values))
  }

  func forgetAdded() {
    added = []
  }

  /// Runs what was added and then a statement, in one round trip (libpq, "Pipeline Mode").
  ///
  /// Each is prepared at its first use.
  ///
  /// - Returns: The answer to the last.
  /// - Throws: ``ServerFault``. The server runs nothing after a statement that fails. The
  ///   connection is of no use then: it may not know what was to be prepared.
  func run(
    _ sql: String, _ values: [SQLValue], until deadline: ContinuousClock.Instant
  ) throws(ServerFault) -> ServerResult {
    add(sql, values)
    defer { added = [] }
    return try connection.lastResult(until: deadline) { () throws(ServerFault) in
      var count = 0
      for (sql, values) in added {
        if names[sql] == nil {
          names[sql] = "s\(names.count)"
          try connection.send { PQsendPrepare($0, names[sql], sql, 0, nil) }
          count += 1
        }
        let parameters = values.map { Parameter($0) }
        defer { for parameter in parameters { parameter.value?.deallocate() } }
        try connection.send {
          PQsendQueryPrepared(
            $0, names[sql], Int32(parameters.count), parameters.map { $0.value.map { UnsafePointer($0) } },
            parameters.map(\.length), parameters.map(\.format), 1)
        }
        count += 1
      }
      return count
    }
  }

  /// A value as libpq takes it: numbers and texts as text, bytes as they are.
  private struct Parameter {
    let value: UnsafeMutablePointer<CChar>?
    let length: Int32
    let format: Int32

    init(_ value: SQLValue) {
      switch value {
      case .null: (self.value, length, format) = (nil, 0, 0)
      case .integer(let number): (self.value, length, format) = (Self.copy(Array(String(number).utf8)), 0, 0)
      case .text(let text): (self.value, length, format) = (Self.copy(Array(text.utf8)), 0, 0)
      case .blob(let bytes): (self.value, length, format) = (Self.copy(bytes), Int32(bytes.count), 1)
      }
    }

    /// The bytes, and a NUL that ends a text.
    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
      for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
      copy[bytes.count] = 0
      return copy
    }
  }
}
