import AuthSQLite

/// Fills a database with accounts, sessions, receipts and events, so many of each, in one
/// transaction.
///
/// Passwords are no hashes, so nobody here can log in; token hashes are random. Every account opens
/// out of equity and makes a payment, half of them to alice, so that she has a long history.
/// Entries add up to zero.
struct Population {
  let count: Int

  func fill(_ home: BenchHome) throws {
    try home.sql { database in
      try database.execute("PRAGMA cache_size = -400000; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN")
      for statement in statements { try database.execute(statement) }
      try database.execute("COMMIT")
      guard try database.number("SELECT sum(amount) FROM entries") == 0,
        try database.number("SELECT sum(balance) FROM ledger_accounts") == 0
      else { throw BenchError("the entries of the population do not add up to zero") }
    }
  }

  /// The numbers of the new accounts, as a table.
  private var numbers: String {
    "WITH RECURSIVE c(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM c WHERE n < \(count + 2))"
  }

  private var statements: [String] {
    [
      """
      \(numbers) INSERT INTO accounts(id, name, display_name, role, password_hash, created_at)
      SELECT n, printf('user%07d', n), printf('User %d', n), 'member', '*', n FROM c
      """,
      "\(numbers) INSERT INTO ledger_accounts(id, balance) SELECT n, 9999 FROM c",
      // Openings are numbered from 1,000,000,000 and payments from 2,000,000,000, so that both can
      // be told from n.
      """
      \(numbers) INSERT INTO transfers(id, payer, payee, amount, made_at) SELECT 1000000000 + n, 0, n, 10000, n FROM c
      """,
      """
      \(numbers) INSERT INTO transfers(id, payer, payee, amount, key, made_at)
      SELECT 2000000000 + n, n, 1 + n % 2, 1, printf('key-%d', n), n FROM c
      """,
      "\(numbers) INSERT INTO entries SELECT 0, 1000000000 + n, -10000 FROM c",
      "\(numbers) INSERT INTO entries SELECT 1, 2000000000 + n, 1 FROM c WHERE n % 2 = 0",
      "\(numbers) INSERT INTO entries SELECT 2, 2000000000 + n, 1 FROM c WHERE n % 2 = 1",
      """
      \(numbers), both(t, amount) AS (VALUES (1000000000, 10000), (2000000000, -1))
      INSERT INTO entries SELECT n, t + n, amount FROM c CROSS JOIN both
      """,
      "UPDATE ledger_accounts SET balance = balance - 10000 * \(count) WHERE id = 0",
      """
      UPDATE ledger_accounts SET balance = balance +
        (SELECT count(*) FROM entries WHERE account = ledger_accounts.id AND transfer > 2000000000) WHERE id IN (1, 2)
      """,
      """
      \(numbers) INSERT INTO sessions(token_hash, id, account, boot, active, idle_span, absolute_until, fresh_until,
        created_at, active_at, purge_after)
      SELECT randomblob(32) AS hash, printf('s-%010d', n), n, zeroblob(16), 0, 0, 0, 0, n, n, 9000000000000000 + n
      FROM c ORDER BY hash
      """,
      """
      \(numbers) INSERT INTO events(id, at, name, account, actor)
      SELECT n, n, (SELECT name FROM events ORDER BY id DESC LIMIT 1), n % 2 * n + 1 - n % 2, n FROM c
      """,
    ]
  }
}
