package import AuthAccounts

/// What grows is cut back in pieces, apart from the requests that make it grow: a request that
/// takes longer where a limit is reached would tell what it did.
extension Rules {
  /// Does a piece of each kind of work that requests have left.
  ///
  /// A service does it on a thread of its own; without a service, each login does a piece.
  ///
  /// - Returns: Whether there may be more to do.
  /// - Throws: ``BackendError`` when the database cannot do it now; the next time tries again.
  package func tidy() throws(BackendError) -> Bool {
    let (erased, isTrimming) = (try erasePiece(), try trimEvents())
    if erased == .last { try database.removeTraces() }
    return erased != .nothing || isTrimming
  }

  /// Deletes up to 1,000 of the oldest events that concern no account, beyond the newest 10,000.
  private func trimEvents() throws(BackendError) -> Bool {
    let newest: Int64? = try database.read { (db) throws(BackendError) in
      try db.first(EventQuery.surplus, Event.namelessLimit)
    }
    guard let newest else { return false }
    return try database.write(.rows) { (db) throws(BackendError) in
      try db.changes(of: EventQuery.deleteSurplus, newest) > 0
    }
  }
}
