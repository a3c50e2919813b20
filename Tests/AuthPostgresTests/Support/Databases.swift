import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Glibc
import PostgresServers
import Synchronization
import Testing

@testable import AuthPostgres

/// Every suite here needs a PostgreSQL server, which the tests start themselves.
@Suite(
  "PostgreSQL",
  .enabled(
    if: ThrowawayServer.isPossible,
    "PostgreSQL is not installed: apt-get install postgresql, and these tests run, too"))
struct PostgresTests {}

/// One server for all tests of this process, and a database for each test that runs.
///
/// A copy of the template takes 0.2 s, so a test gets the database of one that is over, emptied.
final class Databases: Sendable {
  static let shared = Databases()

  let server: ThrowawayServer
  private let count = Mutex(0)
  static let template = "authcore_template"

  private init() {
    do {
      server = try ThrowawayServer()
      let superuser = try Self.connect(server.address("postgres"))
      try superuser.sql("CREATE DATABASE \(Self.template)")
      try SchemaOwner(try ServerAddress(server.address(Self.template)), cost: .least).installEmpty()
      let template = try Self.connect(server.address(Self.template))
      try template.sql(Self.movableClock)
      try superuser.sql("CREATE ROLE person LOGIN; GRANT auth_cli TO person")
    } catch {
      preconditionFailure("\(error)")
    }
  }

  static func connect(_ address: String) throws -> ServerConnection {
    try Connecting(address: try ServerAddress(address), limits: ServerLimits()).connect()
  }

  // A database with the schema and without accounts, of a name and an identity of its own. No other
  // test gets it afterwards if this one changes more than rows.
  func make(isChanged: Bool = false) throws -> TestDatabase {
    let name = try used.withLock { $0.popLast() } ?? copy()
    let database = TestDatabase(server: server, name: name, isReusable: !isChanged)
    try database.superuser { try $0.sql(Self.emptying) }
    return database
  }

  fileprivate func takeBack(_ name: String) {
    used.withLock { $0.append(name) }
  }

  private let used = Mutex<[String]>([])

  private static let emptying = """
    SET search_path = authcore, pg_temp;
    -- Without triggers and foreign keys: much faster than TRUNCATE.
    SET session_replication_role = replica;
    \(ServerSchema().tableNames.map { "DELETE FROM \($0);" }.joined(separator: "\n"))
    ALTER SEQUENCE accounts_id_seq RESTART;
    ALTER SEQUENCE transfers_id_seq RESTART;
    INSERT INTO ledger_accounts VALUES (0, 0);
    UPDATE test_clock SET distance = 0, frozen = NULL;
    \(ServerSchema().rowAboutDatabase)
    """

  private func copy() throws -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let name = "d\(number)"
    // No two at once: the template must have no connection but that of the copy.
    try making.withLock { _ in
      let superuser = try Self.connect(server.address("postgres"))
      try superuser.sql("CREATE DATABASE \(name) TEMPLATE \(Self.template)")
      // A copy has everything but the rights on the database itself.
      try superuser.sql("REVOKE TEMPORARY ON DATABASE \(name) FROM PUBLIC")
    }
    return name
  }

  private let making = Mutex(())

  /// The server's clock, which tests move: the present time and a distance, or one instant.
  private static let movableClock = """
    CREATE TABLE authcore.test_clock(distance bigint NOT NULL, frozen bigint);
    INSERT INTO authcore.test_clock VALUES (0, NULL);
    ALTER TABLE authcore.test_clock OWNER TO auth_cli_owner;
    CREATE OR REPLACE FUNCTION authcore.clock_ns() RETURNS bigint LANGUAGE sql VOLATILE AS $$
      SELECT coalesce(frozen, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000 + distance)
      FROM authcore.test_clock
    $$;
    """
}

extension ServerConnection {
  /// Runs a script as it is.
  func sql(_ script: String) throws {
    try runScript(script, until: .now + .seconds(60))
  }

  /// The rows of one statement.
  func rows(_ statement: String, _ arguments: [String?] = []) throws -> [[String?]] {
    try run(statement, arguments, until: .now + .seconds(60))
  }
}

/// A database of one test.
final class TestDatabase: Sendable {
  let server: ThrowawayServer
  let name: String

  private let isReusable: Bool

  init(server: ThrowawayServer, name: String, isReusable: Bool) {
    self.server = server
    self.name = name
    self.isReusable = isReusable
  }

  deinit {
    if isReusable { Databases.shared.takeBack(name) }
  }

  /// An address as the person who uses it.
  func address(user: String = "person") throws -> ServerAddress {
    try ServerAddress(server.address(name, user: user))
  }

  func backend(clock: any SessionClock = BootClock()) throws -> PostgresBackend {
    PostgresBackend(try address(), cost: .least, clock: clock)
  }

  func superuser<Result>(_ body: (ServerConnection) throws -> Result) throws -> Result {
    try body(try Databases.connect(server.address(name)))
  }

  func person<Result>(_ body: (ServerConnection) throws -> Result) throws -> Result {
    try body(try Databases.connect(server.address(name, user: "person")))
  }

  /// Moves the server's clock.
  func advance(by duration: Duration) throws {
    try superuser {
      try $0.sql(
        "UPDATE authcore.test_clock SET distance = distance + \(duration.wholeNanoseconds), frozen = frozen + \(duration.wholeNanoseconds)"
      )
    }
  }

  /// Stops the server's clock at an instant, in nanoseconds.
  func freeze(at nanoseconds: Int64) throws {
    try superuser { try $0.sql("UPDATE authcore.test_clock SET frozen = \(nanoseconds)") }
  }
}

/// A clock that stands still until it is moved.
final class StandingClock: SessionClock {
  private let instant: Mutex<Int64>
  private let boot = BootID(high: 1, low: 2)

  init(_ start: Int64) {
    instant = Mutex(start)
  }

  var nanoseconds: Int64 { instant.withLock { $0 } }

  func advance(by nanoseconds: Int64) {
    instant.withLock { $0 += nanoseconds }
  }

  func now() throws(ClockError) -> BootInstant { BootInstant(boot: boot, uptime: .nanoseconds(nanoseconds)) }
  func sleep(for duration: Duration) async throws(CancellationError) { throw CancellationError() }
}

let alicePassword = Password("marble kettle window harvest")
let bobPassword = Password("another long password of bob's")

extension PostgresBackend {
  func registerBoth() throws {
    _ = try register(username: "alice", password: alicePassword)
    _ = try register(username: "bob", password: bobPassword)
  }
}
