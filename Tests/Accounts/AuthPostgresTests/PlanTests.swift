import AuthCore
import AuthRules
import PostgresServers
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Every statement walks the index that it was written for, whatever the server knows about the
  /// rows: no plan reads what other users have stored.
  @Suite(.timeLimit(.minutes(10))) struct PlanTests {
    /// Operators' rare requests may read whole tables.
    private static let statements =
      queryLists.filter { $0.name != "OperatorQuery" }.flatMap(\.statements)
      + [Lock.session([]), .account(1), .accountNamed(""), .balances(1, 2)]
      .map { PostgresTransaction.statement($0).sql }

    /// A connection as the service makes it, to a database where one member has nearly all rows.
    private func connection(_ statistics: Statistics) throws -> (ServerConnection, RulesDatabase) {
      let database = try RulesDatabase(isShared: true)
      try database.keepStatistics()
      try database.sql(Self.rows(1...3))
      if statistics == .early { try database.sql("ANALYZE") }
      try database.sql(Self.rows(4...3000))
      if statistics == .current { try database.sql("ANALYZE") }
      let connection = try Databases.connect(database.address)
      try PostgresSchema.check(connection, lockTimeout: .seconds(5))
      return (connection, database)
    }

    /// Rows of each table with these numbers; nearly all events and payments are of account 2.
    private static func rows(_ numbers: ClosedRange<Int>) -> String {
      let (first, last) = (numbers.lowerBound, numbers.upperBound)
      let each = "FROM generate_series(\(first), \(last)) i"
      return """
        INSERT INTO accounts(id, name, display_name, role, password_hash, created_at)
          SELECT i, 'user' || i, '', CASE i WHEN 1 THEN 'administrator' ELSE 'member' END, '', i \(each);
        INSERT INTO ledger_accounts SELECT i, 0 \(each);
        INSERT INTO reserved_names SELECT int8send(i) \(each);
        INSERT INTO unknown_names(name_hash, guesses, attempts) SELECT int8send(i), 1, 1 \(each);
        INSERT INTO sessions(token_hash, id, account, boot, active, idle_span, absolute_until, absolute_span,
            fresh_until, created_at, active_at, purge_after, ended_reason, ended_at)
          SELECT int8send(i), 's' || i, i, '', 1, 1, 1, 1, 1, i, i, i, CASE i % 2 WHEN 0 THEN 'revoked' END, i \(each);
        INSERT INTO other_tokens(token_hash, session, number) SELECT int8send(i), 's' || i, 1 \(each);
        INSERT INTO codes(account, code_hash) SELECT i, '' \(each);
        INSERT INTO two_steps(account, secret, last_step) SELECT i, '', 1 \(each);
        INSERT INTO challenges(token_hash, account, password_hash, tries_left, boot, until)
          SELECT int8send(i), i, '', 1, '', i \(each);
        INSERT INTO members SELECT i, 'group' \(each);
        INSERT INTO proofs SELECT int8send(i), i, 1, '', '', i \(each);
        INSERT INTO erasures SELECT i, '' \(each);
        INSERT INTO transfers(id, payer, payee, amount, key, made_at) SELECT i, 2, 1, 1, 'k' || i, i \(each);
        INSERT INTO entries SELECT 2, i, -1 \(each);
        INSERT INTO entries SELECT 1, i, 1 \(each);
        INSERT INTO events(at, name, account) SELECT j, 'user_updated', 2 FROM generate_series(\(first), \(3 * last)) j;
        INSERT INTO probes SELECT 1, '' ON CONFLICT DO NOTHING
        """
    }

    /// A condition on a column that an index has, after the rows were read.
    private static var keyInFilter: Regex<Substring> {
      #/Filter: .*\b(?:account|payer|session|id|(?:token|name|proof|code)_hash) (?:= (?:\$|ANY)|IS NULL)/#
    }

    /// The steps of a plan that may read rows of no concern.
    private func walks(_ statement: String, on connection: ServerConnection) throws -> [String] {
      let count = Set(statement.matches(of: /\$\d+/).map(\.output)).count
      let values = count == 0 ? "" : "(" + Array(repeating: "NULL", count: count).joined(separator: ", ") + ")"
      try connection.sql("PREPARE tried AS \(statement)")
      defer { _ = try? connection.sql("DEALLOCATE tried") }
      let plan = try connection.sql("EXPLAIN (COSTS OFF) EXECUTE tried\(values)").map { $0[0] ?? "" }
      return plan.enumerated().filter { number, step in
        if step.contains(/Seq Scan|Bitmap|Sort|Materialize|Hash Join|Merge Join/) { return true }
        // Only one of two conditions is in the index.
        if step.contains(Self.keyInFilter) { return true }
        // That index holds administrators only, and the first one found ends the search.
        guard step.contains(/Index.* Scan/), !step.contains("using administrators") else { return false }
        return plan.count <= number + 1 || !plan[number + 1].contains("Index Cond")
      }.map(\.element)
    }

    @Test("no statement reads more than its index says", arguments: Statistics.allCases)
    func plans(statistics: Statistics) throws {
      let (connection, database) = try connection(statistics)
      for statement in Self.statements {
        let walks = try walks(statement, on: connection)
        #expect(walks.isEmpty, "\(walks) in \(statement)")
      }
      withExtendedLifetime(database) {}
    }

    @Test("without the settings of a connection, or with the order of another index, a plan reads more")
    func control() throws {
      let (connection, database) = try connection(.current)
      let other = "SELECT id FROM events WHERE account = $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET $3"
      #expect(try walks(other, on: connection) != [])
      let plain = try Databases.connect(database.address)
      try plain.sql("SET search_path = \(PostgresSchema.searchPath)")
      #expect(try Self.statements.filter { try !walks($0, on: plain).isEmpty }.count > 5)
    }
  }
}

/// What a server knows about the rows of its tables.
enum Statistics: CaseIterable, Sendable {
  /// Nothing: they were never analysed.
  case none
  /// How they were while they had few rows.
  case early
  /// How they are.
  case current
}

extension RulesDatabase {
  /// Leaves the statistics to the test.
  func keepStatistics() throws {
    try sql(
      """
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'auth' LOOP
          EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = false)', name);
        END LOOP;
      END $$
      """)
  }
}
