import AuthAccounts
import AuthRules
import Glibc
import PostgresServers
import Races
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// How many connections of the server a service takes, whatever becomes of its requests.
  @Suite struct PoolTests {
    /// A database whose connections a test counts.
    private struct Site {
      let database: RulesDatabase
      private let superuser: ServerConnection

      init() throws {
        database = try RulesDatabase()
        superuser = try Databases.connect(database.server.address("postgres"))
      }

      func pool(_ limits: ServerLimits, size: Int, patience: Duration = .seconds(60), user: String = "postgres") throws
        -> PostgresDatabase
      {
        let address = try ServerAddress(database.server.address(database.name, user: user))
        return PostgresDatabase(address, limits: limits, connections: size, patience: patience)
      }

      /// How many connections the server has to the database, in this state.
      func connections(_ condition: String = "true") throws -> Int {
        let rows = try superuser.sql(
          "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND (\(condition))")
        return Int(rows.first?[0] ?? "") ?? -1
      }

      /// Waits until the server has so many.
      func wait(for count: Int, _ condition: String = "true") throws {
        let end = ContinuousClock.now + .seconds(60)
        while case let present = try connections(condition), present != count {
          try #require(ContinuousClock.now < end, "there are still \(present)")
          try superuser.sql("SELECT pg_sleep(0.01)")
        }
      }
    }

    private static func sleep(_ database: PostgresDatabase, _ scope: WriteScope? = nil) -> String? {
      Services.code {
        try database.transaction(scope) { (db) throws(BackendError) in
          _ = try db.step("SELECT pg_sleep(600)", []) { _ in false }
        }
      }
    }

    @Test("a statement that is given up ends in the server, and counts until then", arguments: [nil, WriteScope.rows])
    func abandoned(scope: WriteScope?) throws {
      let site = try Site()
      let limits = ServerLimits(answer: .milliseconds(200), read: .seconds(600))
      let pool = try site.pool(limits, size: 2, patience: .seconds(1))
      var most = 0
      for _ in 0..<6 {
        // On a busy machine a connection may be given up before the statement is sent.
        #expect(["server_lost", "server_silent", "database_busy"].contains(Self.sleep(pool, scope)))
        most = max(most, try site.connections())
      }
      #expect(most <= 2)
      try site.wait(for: 0)
    }

    @Test("the server itself ends a read that takes too long, and the connection is not given up")
    func timeout() throws {
      let site = try Site()
      let pool = try site.pool(ServerLimits(answer: .seconds(20), read: .milliseconds(100)), size: 1)
      #expect(Self.sleep(pool) == "database_busy")
      try site.wait(for: 0, "state = 'active'")
      // A write has no such limit: its commit may wait for a standby.
      try pool.write(.rows) { (db) throws(BackendError) in _ = try db.step("SELECT pg_sleep(0.3)", []) { _ in false } }
    }

    @Test("the pool waits for a server without free connections")
    func full() throws {
      let site = try Site()
      try site.database.sql(
        "GRANT USAGE ON SCHEMA auth TO service; GRANT SELECT ON ALL TABLES IN SCHEMA auth TO service;"
          + "ALTER DATABASE \(site.database.name) CONNECTION LIMIT 2")
      let pool = try site.pool(ServerLimits(), size: 8, user: "service")
      let codes = onThreads(8) { _ in
        Services.code {
          try pool.read { (db) throws(BackendError) in _ = try db.step("SELECT pg_sleep(0.1)", []) { _ in false } }
        }
      }
      #expect(codes.allSatisfy { $0 == nil }, "\(codes)")
    }

    @Test("connections that nobody uses are closed")
    func idle() throws {
      let site = try Site()
      let pool = try site.pool(ServerLimits(idle: .zero), size: 4)
      _ = onThreads(4) { _ in
        try? pool.read { (db) throws(BackendError) in _ = try db.step("SELECT pg_sleep(0.2)", []) { _ in false } }
      }
      try pool.read { _ in }
      try site.wait(for: 1)
    }
  }
}
