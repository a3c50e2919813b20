/// The same commands with few accounts, sessions and receipts, and with many.
func scale(quick: Bool) throws -> [Benchmark] {
  let many = quick ? 20_000 : 1_000_000
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
      name, .milliseconds, .atMost(1.2), samples: 60, against: "with 10 accounts", measure,
      baseline: baseline)
  }
  let (few, large) = (try Home(), try Home())
  try few.sql(population(10))
  try large.sql(population(many))
  let pay = ["pay", "0.01", "--to", "bob"]
  return [
    row("status", time(large, ["status"]), time(few, ["status"])), row("pay", time(large, pay), time(few, pay)),
    row("login", login(large), login(few)),
  ]
}

/// So many accounts, sessions, receipts and events.
///
/// The passwords are no hashes, so nobody can log in there; entries add up to zero.
private func population(_ count: Int) -> String {
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
    \(numbers) INSERT INTO sessions(token_hash, id, account, boot, active, idle_span, absolute_until, absolute_span, fresh_until,
        created_at, active_at, purge_after)
      SELECT randomblob(32) AS hash, printf('s-%010d', n), n, zeroblob(16), 0, 0, 0, 0, 0, n, n, 9000000000000000 + n
      FROM c ORDER BY hash;
    \(numbers) INSERT INTO events(id, at, name, account, actor)
      SELECT n, n, (SELECT name FROM events ORDER BY id DESC LIMIT 1), n, n FROM c;
    COMMIT
    """
}
