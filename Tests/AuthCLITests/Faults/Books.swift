import CSQLite
import Foundation

/// What the database of a home says of money and accounts, read as another program would read it.
struct Books: Equatable {
  /// Whether SQLite finds the file sound, references included.
  let isSound: Bool
  /// The sum of all balances, the equity account's included.
  let sum: Int64
  /// How many ledger accounts have another balance than their entries add up to.
  let wrongBalances: Int64
  /// How many transfers do not have exactly two entries that cancel each other out.
  let wrongTransfers: Int64
  let transfers: Int64
  /// How many transfers have the most often used key of a payer.
  let mostOftenUsedKey: Int64
  let accounts: Int64
  let liveSessions: Int64

  /// Reads them, or gives nil when nothing was ever committed.
  init?(_ path: String) {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    var handle: OpaquePointer?
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle else { return nil }
    defer { sqlite3_close(handle) }
    sqlite3_busy_timeout(handle, 5000)
    func text(_ sql: String) -> String? {
      var statement: OpaquePointer?
      guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
      defer { sqlite3_finalize(statement) }
      guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
      return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }
    func number(_ sql: String) -> Int64 { text(sql).flatMap { Int64($0) } ?? -1 }
    let isSound = text("PRAGMA integrity_check") == "ok" && text("PRAGMA foreign_key_check") == nil
    guard number("SELECT count(*) FROM sqlite_schema") != 0 else { return nil }
    self.isSound = isSound
    sum = number("SELECT sum(balance) FROM ledger_accounts")
    wrongBalances = number(
      """
      SELECT count(*) FROM ledger_accounts a
      WHERE balance <> (SELECT coalesce(sum(amount), 0) FROM entries WHERE account = a.id)
      """)
    wrongTransfers = number(
      """
      SELECT count(*) FROM transfers t
      WHERE (SELECT count(*) FROM entries WHERE transfer = t.id) <> 2
        OR (SELECT sum(amount) FROM entries WHERE transfer = t.id) <> 0
      """)
    transfers = number("SELECT count(*) FROM transfers")
    mostOftenUsedKey = number(
      "SELECT coalesce(max(uses), 0) FROM (SELECT count(*) uses FROM transfers WHERE key IS NOT NULL GROUP BY payer, key)"
    )
    accounts = number("SELECT count(*) FROM accounts")
    liveSessions = number("SELECT count(*) FROM sessions WHERE ended_reason IS NULL")
  }

  /// The rows of some queries, as text.
  static func rows(_ path: String, _ queries: [String]) -> [String] {
    var handle: OpaquePointer?
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle else { return [] }
    defer { sqlite3_close(handle) }
    sqlite3_busy_timeout(handle, 5000)
    return queries.flatMap { query -> [String] in
      var statement: OpaquePointer?
      guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else { return ["\(query) failed"] }
      defer { sqlite3_finalize(statement) }
      var rows: [String] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
          }.joined(separator: "|"))
      }
      return rows
    }
  }

  /// Whether the file is sound and money was neither made nor lost.
  var areInOrder: Bool {
    isSound && sum == 0 && wrongBalances == 0 && wrongTransfers == 0 && mostOftenUsedKey <= 1
  }
}
