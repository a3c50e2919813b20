/// The same commands with few accounts, sessions and receipts, and with many.
func scale(quick: Bool) throws -> [Benchmark] {
  let many = quick ? 20_000 : 1_000_000
  func rows(_ engine: String, few: Home, many: Home) -> [Benchmark] {
    let pay = ["pay", "0.01", "--to", "bob"]
    func time(_ home: Home, _ words: [String]) -> () throws -> Double {
      var run = home.command("status")
      let status = run
      run = Program(path: run.path, arguments: words, environment: run.environment, errors: run.errors)
      return {
        // Lets every size begin alike: the run before it may have waited for the disk.
        try status.run()
        return try run.time()
      }
    }
    func login(_ home: Home) -> () throws -> Double {
      {
        try home.command("logout").run()
        return try home.withPassword(home.cheap, "login", "alice").time()
      }
    }
    func row(_ name: String, _ measure: @escaping () throws -> Double, _ baseline: @escaping () throws -> Double)
      -> Benchmark
    {
      Benchmark(
        "\(name) \(engine)", .milliseconds, .atMost(1.2), samples: 60, against: "with 10 accounts", measure,
        baseline: baseline)
    }
    return [
      row("status", time(many, ["status"]), time(few, ["status"])), row("pay", time(many, pay), time(few, pay)),
      row("login", login(many), login(few)),
    ]
  }
  let embedded = (few: try Home(), many: try Home())
  try embedded.few.sql(embeddedPopulation(10))
  try embedded.many.sql(embeddedPopulation(many))
  let onSQLite = rows("on SQLite", few: embedded.few, many: embedded.many)
  do {
    let server = try Server()
    let (few, large) = (
      try Home(.server(server, database: "few")), try Home(.server(server, database: "many"))
    )
    try few.sql(serverPopulation(10))
    try large.sql(serverPopulation(many))
    return onSQLite + rows("on PostgreSQL", few: few, many: large)
  } catch let skip as Skip {
    return onSQLite + [
      Benchmark("status, pay and login on PostgreSQL", .milliseconds, .limit(0), samples: 1) { throw skip }
    ]
  }
}

/// So many accounts, sessions, receipts and events.
///
/// The passwords are no hashes, so nobody can log in there; entries add up to zero.
private func embeddedPopulation(_ count: Int) -> String {
  let numbers = "WITH RECURSIVE c(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM c WHERE n < \(count + 2))"
  return """
    PRAGMA cache_size = -400000; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;
    \(numbers) INSERT INTO accounts(id, name, display_name, role, password_hash, created_at)
      SELECT n, printf('user%07d', n), printf('User %d', n), 'member', '*', n FROM c;
    \(numbers) INSERT INTO ledger_accounts(id, balance) SELECT n, 10000 FROM c;
    UPDATE ledger_accounts SET balance = balance - 10000 * \(count) WHERE id = 0;
    \(numbers) INSERT INTO transfers(id, payer, payee, amount, made_at) SELECT 1000000000 + n, 0, n, 10000, n FROM c;
    \(numbers) INSERT INTO entries SELECT 0, 1000000000 + n, -10000 FROM c;
    \(numbers) INSERT INTO entries SELECT n, 1000000000 + n, 10000 FROM c;
    \(numbers) INSERT INTO sessions(token_hash, id, account, boot, active, idle_span, absolute_until, fresh_until,
        created_at, active_at, purge_after)
      SELECT randomblob(32) AS hash, printf('s-%010d', n), n, zeroblob(16), 0, 0, 0, 0, n, n, 9000000000000000 + n
      FROM c ORDER BY hash;
    \(numbers) INSERT INTO events(id, at, name, account, actor)
      SELECT n, n, (SELECT name FROM events ORDER BY id DESC LIMIT 1), n, n FROM c;
    COMMIT
    """
}

/// The same on a server.
private func serverPopulation(_ count: Int) -> String {
  let numbers = "generate_series(1000, 999 + \(count)) i"
  return """
    SET session_replication_role = replica;
    INSERT INTO authcore.accounts(id, name, display_name, role, setting, verifier, created_at)
      SELECT i, 'user' || i, 'user' || i, 'member', a.setting, a.verifier, 0
      FROM authcore.accounts a, \(numbers) WHERE a.name = 'bob';
    INSERT INTO authcore.ledger_accounts SELECT i, 1 FROM \(numbers);
    INSERT INTO authcore.sessions(id, token_hash, account, active, idle_span, absolute_until, fresh_until, absolute_span,
        created_at, active_at, purge_after)
      SELECT 'session' || i, sha256(int8send(i)), i, 0, 1, 1, 1, 1, 0, 0, 9000000000000000 FROM \(numbers);
    INSERT INTO authcore.transfers(id, payer, payee, amount, key_was_given, made_at)
      OVERRIDING SYSTEM VALUE SELECT i, 0, i, 1, false, 0 FROM \(numbers);
    SELECT setval('authcore.transfers_id_seq', 1000 + \(count));
    INSERT INTO authcore.entries SELECT s.account, i, s.amount FROM \(numbers),
      LATERAL (VALUES (0::bigint, -1::bigint), (i, 1)) s(account, amount);
    INSERT INTO authcore.events(id, at, name, account) SELECT i, i, 'user_created', i FROM \(numbers);
    ANALYZE
    """
}
