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

  init(_ connection: ServerConnection, to database: BootID) {
    self.connection = connection
    self.database = database
  }

  /// Runs a statement, which is prepared at its first use.
  ///
  /// - Throws: ``ServerFault``; nothing is committed before the statement that commits.
  func run(
    _ sql: String, _ values: [SQLValue], until deadline: ContinuousClock.Instant
  ) throws(ServerFault) -> ServerResult {
    let name: String
    if let known = names[sql] {
      name = known
    } else {
      name = "s\(names.count)"
      _ = try connection.result(until: deadline) { PQsendPrepare($0, name, sql, 0, nil) }
      names[sql] = name
    }
    let parameters = values.map { Parameter($0) }
    defer { for parameter in parameters { parameter.value?.deallocate() } }
    return try connection.result(until: deadline) { connection in
      PQsendQueryPrepared(
        connection, name, Int32(parameters.count), parameters.map { $0.value.map { UnsafePointer($0) } },
        parameters.map(\.length), parameters.map(\.format), 1)
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
