/// What the database of a home says of money and accounts, read as another program would read it.
package struct Books: Equatable, CustomStringConvertible {
  /// What is wrong with the file, references included, and with the money in it.
  package let faults: [String]
  package let transfers: Int
  package let liveSessions: Int

  /// Reads them, or gives nil when nothing was ever committed.
  package init?(_ path: String) {
    guard let file = try? DatabaseFile(path), (try? file.run("SELECT 1 FROM sqlite_schema"))?.isEmpty == false
    else { return nil }
    faults = Self.checks.flatMap { check in
      do { return try file.run(check).filter { $0 != "ok" } } catch { return ["\(error)"] }
    }
    func count(_ what: String) -> Int {
      (try? file.run("SELECT count(*) FROM \(what)"))?.first.flatMap { Int($0) } ?? -1
    }
    transfers = count("transfers")
    liveSessions = count("sessions WHERE ended_reason IS NULL")
  }

  /// Each has a row for each fault.
  private static let checks = [
    "PRAGMA integrity_check", "PRAGMA foreign_key_check",
    "SELECT 'all balances add up to ' || total FROM (SELECT sum(balance) total FROM ledger_accounts) WHERE total IS NOT 0",
    """
    SELECT 'the balance of ' || id || ' is not the sum of its entries' FROM ledger_accounts a
    WHERE balance <> (SELECT coalesce(sum(amount), 0) FROM entries WHERE account = a.id)
    """,
    """
    SELECT 'transfer ' || id || ' has not two entries that cancel each other out' FROM transfers t
    WHERE (SELECT count(*) FROM entries WHERE transfer = t.id) <> 2
      OR (SELECT sum(amount) FROM entries WHERE transfer = t.id) <> 0
    """,
    """
    SELECT 'the key ' || key || ' is used twice' FROM transfers WHERE key IS NOT NULL
    GROUP BY payer, key HAVING count(*) > 1
    """,
  ]

  /// Whether the file is sound and money was neither made nor lost.
  package var areInOrder: Bool { faults.isEmpty }

  package var description: String {
    let state = areInOrder ? "in order" : faults.joined(separator: "; ")
    return "\(state), \(transfers) transfers, \(liveSessions) live sessions"
  }
}
