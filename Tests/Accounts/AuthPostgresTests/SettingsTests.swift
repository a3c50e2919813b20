import AuthAccounts
import AuthCore
import AuthRules
import Foundation
import PostgresServers
import Programs
import Races
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Settings of a server, a database or a role, on which the rules do not depend.
  @Suite(.timeLimit(.minutes(10))) struct SettingsTests {
    /// A value of each setting that would break a promise; nil for one that this server lacks.
    private static let others = [
      "search_path": "public", "lock_timeout": "77777", "statement_timeout": "77777",
      "idle_in_transaction_session_timeout": "77777", "idle_session_timeout": "77777", "transaction_timeout": "77777",
      "synchronous_commit": "off", "client_min_messages": "error", "session_replication_role": "replica",
      "standard_conforming_strings": "off", "transform_null_equals": "on", "bytea_output": "escape",
      "enable_seqscan": "on", "enable_bitmapscan": "on", "enable_hashjoin": "on", "enable_mergejoin": "on",
      "enable_sort": "on", "enable_material": "on", "jit": "on", "plan_cache_mode": "auto",
    ]

    /// A setting in a transaction.
    private func value(_ name: String, _ scope: WriteScope?, _ rules: Rules) throws -> String? {
      var value: String?
      try rules.database.transaction(scope) { (db) throws(BackendError) in
        try db.step("SELECT current_setting($1, true)", [.text(name)]) { (row) throws(BackendError) in
          value = try row[0]
          return false
        }
        return
      }
      return value
    }

    @Test("every setting of the table has another value here")
    func complete() {
      let names = PostgresSettings.all(lockTimeout: .seconds(1), read: .seconds(1)).map(\.name)
      #expect(Set(names) == Set(Self.others.keys))
    }

    @Test("a setting of the database does not change what a connection relies on", arguments: others.keys.sorted())
    func setting(name: String) throws {
      let database = try RulesDatabase()
      let usual = try value(name, nil, database.authority.rules)
      guard let usual else { return }
      try database.sql("ALTER DATABASE \(database.name) SET \(name) = '\(try #require(Self.others[name]))'")
      let rules = PostgresAuthority(
        PostgresDatabase(try ServerAddress(database.address), patience: .seconds(60))
      ).rules
      #expect(try value(name, nil, rules) == usual)
      #expect(try Databases.connect(database.address).sql("SHOW \(name)").first?[0] != usual)
    }

    @Test(
      "a transaction has its own level, and a write may write",
      arguments: [
        ("default_transaction_isolation", "serializable"), ("default_transaction_isolation", "repeatable read"),
        ("default_transaction_read_only", "on"), ("default_transaction_deferrable", "on"),
      ])
    func level(name: String, other: String) throws {
      let database = try RulesDatabase()
      try database.sql("ALTER DATABASE \(database.name) SET \(name) = '\(other)'")
      let rules = try PostgresAuthority(database.address).rules
      #expect(try value("transaction_isolation", .rows, rules) == "read committed")
      #expect(try value("transaction_read_only", .rows, rules) == "off")
      #expect(try value("transaction_isolation", nil, rules) == "repeatable read")
      #expect(try value("transaction_read_only", nil, rules) == "on")
      try rules.probe()
    }

    @Test(
      "with another level as the default of the database, the outcome of a race is that of some order of the two",
      arguments: Pair.all.filter { ["two demotions", "pay and delete the payee"].contains($0.testDescription) })
    func races(pair: Pair) async throws {
      let findings = try await onOwnThread {
        try RaceScene(.postgres, settings: ["default_transaction_isolation = 'repeatable read'"])
          .findings(pair, rounds: 4)
      }
      #expect(findings == [])
    }

    @Test("a column that changed its type under a connection is read on a new one")
    func cachedPlan() throws {
      let database = try RulesDatabase()
      _ = try database.registerBoth()
      let token = try database.authority.logIn().token
      _ = try database.authority.rules.profile(token: token)
      try database.sql(
        "ALTER TABLE ledger_accounts ALTER balance TYPE numeric; ALTER TABLE accounts ALTER created_at TYPE int8")
      try database.sql(
        "ALTER TABLE ledger_accounts ALTER balance TYPE bigint; ALTER TABLE sessions ALTER uses_after_end TYPE int")
      #expect(try database.authority.rules.profile(token: token).balance == 100_00)
    }
  }

  /// A pooler between the service and the server.
  @Suite(
    .enabled(if: Pooler.isPossible, "pgbouncer is not installed: apt-get install pgbouncer, and these tests run"),
    .timeLimit(.minutes(10)))
  struct PoolerTests {
    @Test("a pooler that assigns processes to transactions is recognised when a connection is made")
    func transactions() throws {
      let database = try RulesDatabase()
      _ = try database.registerBoth()
      let pooler = try Pooler("transaction", of: database.server)
      let authority = try PostgresAuthority(pooler.address(database.name))
      let refusal = failure { try authority.checkForLogins() }
      #expect(refusal?.code == "server_pooled")
      withExtendedLifetime(pooler) {}
    }

    @Test("a transaction that another process of the server answers is refused, and nothing is changed")
    func otherProcess() throws {
      let database = try RulesDatabase()
      _ = try database.registerBoth()
      let pooler = try Pooler("transaction", of: database.server)
      let connection = try Databases.connect(pooler.address(database.name))
      try PostgresSchema.check(connection, lockTimeout: .seconds(5))
      #expect(connection.isPooled)
      // It takes the process that was used last.
      let other = try Databases.connect(pooler.address(database.name))
      try other.sql("BEGIN; SELECT 1")
      let transaction = PostgresTransaction(connection, .rows) { $0 }
      let refusal = failure {
        try transaction.run("UPDATE auth.accounts SET display_name = 'changed'", [])
        try transaction.commit()
      }
      #expect(refusal?.code == "server_pooled")
      try other.sql("COMMIT")
      #expect(try database.number("SELECT count(*) FROM accounts WHERE display_name = 'changed'") == 0)
    }

    @Test("a pooler that assigns processes to sessions is used like a server")
    func sessions() throws {
      let database = try RulesDatabase()
      _ = try database.registerBoth()
      let pooler = try Pooler("session", of: database.server)
      let authority = try PostgresAuthority(pooler.address(database.name))
      let token = try authority.logIn("bob", bobPassword).token
      #expect(try !authority.rules.pay(try PaymentOrder("1", to: "alice"), token: token).isRepetition)
    }
  }
}

/// A pgbouncer of our own, which ends with this value.
private final class Pooler {
  static let isPossible = ThrowawayServer.isPossible && access(program, X_OK) == 0
  private static let program = "/usr/sbin/pgbouncer"
  private let folder = ShortFolder()
  private let process: Child

  init(_ mode: String, of server: ThrowawayServer) throws {
    chmod(folder.path, 0o777)
    let settings = """
      [databases]
      * = host=\(server.directory) user=postgres
      [pgbouncer]
      unix_socket_dir = \(folder.path)
      listen_addr =
      listen_port = 6432
      auth_type = any
      pool_mode = \(mode)
      """
    try settings.write(toFile: folder.path + "/ini", atomically: false, encoding: .utf8)
    let words = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    process = try Child(words + [Self.program, "-q", folder.path + "/ini"], input: STDIN_FILENO)
    let end = ContinuousClock.now + .seconds(60)
    while access(folder.path + "/.s.PGSQL.6432", F_OK) != 0, ContinuousClock.now < end { sched_yield() }
  }

  deinit {
    kill(process.id, SIGINT)
    close(process.output)
    process.wait()
  }

  func address(_ database: String) -> String { "host=\(folder.path) port=6432 user=postgres dbname=\(database)" }
}
