import AuthBackend
import AuthCore
import Glibc
import PostgresServers
import Synchronization
import Testing

@testable import AuthPostgres

/// Every suite here needs a PostgreSQL server, which the tests start themselves.
@Suite(
  "PostgreSQL",
  .enabled(
    if: ThrowawayServer.isPossible, "PostgreSQL is not installed: apt-get install postgresql, and these tests run"))
struct PostgresTests {}

/// One server for all tests of this process, with a database for each test that runs.
///
/// To create a database takes much longer than to create tables, so a test gets the database of one
/// that has ended.
final class Databases: Sendable {
  private static let started = Result { try Databases() }

  /// - Throws: Why the server did not start.
  static func shared() throws -> Databases { try started.get() }

  let server: ThrowawayServer
  private let state = Mutex((made: 0, free: [String]()))

  private init() throws {
    server = try ThrowawayServer()
    try Self.connect(server.address("postgres")).sql("CREATE ROLE person LOGIN")
  }

  static func connect(_ address: String) throws -> ServerConnection {
    try Connecting(try ServerAddress(address)).connect()
  }

  /// The name of a database that no other test uses, without tables.
  func take() throws -> String {
    let superuser = try Self.connect(server.address("postgres"))
    let (name, isNew) = state.withLock { state in
      if let name = state.free.popLast() { return (name, false) }
      state.made += 1
      return ("rules\(state.made)", true)
    }
    if isNew {
      try superuser.sql("CREATE DATABASE \(name)")
    } else {
      try superuser.sql("ALTER DATABASE \(name) ALLOW_CONNECTIONS true CONNECTION LIMIT -1")
      try Self.connect(server.address(name)).sql(
        "SET client_min_messages = error; DROP SCHEMA IF EXISTS auth CASCADE")
    }
    return name
  }

  func takeBack(_ name: String) { state.withLock { $0.free.append(name) } }
}

extension ServerConnection {
  /// Runs a script as it is.
  func sql(_ script: String) throws { try run(script, until: .now + .seconds(60)) }

  /// The rows of a query.
  func rows(_ query: String) throws -> [[String?]] { try run(query, until: .now + .seconds(60)) }
}

/// Whether a database has no tables of the service.
func isEmpty(_ address: ServerAddress) -> Bool {
  do throws(BackendError) {
    _ = try PostgresSchema.check(address)
    return false
  } catch {
    return error.code == "schema_missing"
  }
}

let alicePassword = Secret("marble kettle window harvest")
let bobPassword = Secret("another long password of bob's")
