package import AuthAccounts

/// The keys of a deleted account's payments, which may say something about its user.
///
/// A user may have made millions of payments, so they are erased in pieces, each in a transaction
/// that locks nothing that others need. The row of the erasure says how far it got, so that it
/// continues after the process was killed.
package enum ErasureQuery: String, Query {
  case begin = """
    INSERT INTO erasures(account, through) VALUES ($1, '') ON CONFLICT(account) DO UPDATE SET through = ''
    """
  case first = "SELECT account, through FROM erasures WHERE account > 0 ORDER BY account LIMIT 1"
  /// The last key of a piece; none if the rest is shorter.
  case endOfPiece = """
    SELECT key FROM transfers WHERE payer = $1 AND key IS NOT NULL AND key > $2 ORDER BY key LIMIT 1 OFFSET $3
    """
  case erasePiece = "UPDATE transfers SET key = NULL WHERE payer = $1 AND key IS NOT NULL AND key > $2 AND key <= $3"
  case advance = "UPDATE erasures SET through = $1 WHERE account = $2"
  case finish = "DELETE FROM erasures WHERE account = $1"
}

extension Rules {
  /// The most keys of one piece.
  package static let erasurePiece = 1000

  /// What a call of ``erasePiece()`` did.
  package enum Erased: Hashable, Sendable {
    /// There was nothing to erase.
    case nothing
    /// A piece of what an account has left.
    case piece
    /// The last piece of what an account had left.
    case last
  }

  /// Erases one piece of what a deleted account has left.
  ///
  /// - Returns: What it did.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  package func erasePiece() throws(BackendError) -> Erased {
    struct Erasure: RowDecodable {
      let (account, through): (Int64, String)
      init(_ row: Row) throws(BackendError) { (account, through) = (try row[0], try row[1]) }
    }
    let isAny = try database.read { (db) throws(BackendError) in try db.has(ErasureQuery.first) }
    if !isAny { return .nothing }
    return try database.write(.rows) { (db) throws(BackendError) in
      guard let erasure: Erasure = try db.first(ErasureQuery.first) else { return .nothing }
      let (account, through) = (erasure.account, erasure.through)
      // Another service may erase the same account.
      try db.lock(.account(account))
      let end: String? = try db.first(ErasureQuery.endOfPiece, account, through, Self.erasurePiece - 1)
      guard let end else {
        try db.run(ErasureQuery.erasePiece, account, through, Self.afterEveryKey)
        try db.run(ErasureQuery.finish, account)
        return .last
      }
      try db.run(ErasureQuery.erasePiece, account, through, end)
      try db.run(ErasureQuery.advance, end, account)
      return .piece
    }
  }

  private static let afterEveryKey = "\u{7F}"
}
