package import AuthAccounts
package import AuthCore

extension Rules {
  package func deleteAccount(token: SessionToken) throws(BackendError) {
    try writing(
      token, Operations.deleteOwnAccount.needs, .everything, asActivity: false,
      refusing: { (db, own) throws(BackendError) in try db.requireDeletable(try db.account(own.account)) }
    ) { (db, own) throws(BackendError) in
      try delete(try db.account(own.account), by: own, in: db)
    }
    removeTraces()
  }

  package func deleteAccount(_ name: Username, token: SessionToken) throws(BackendError) {
    try writing(token, Operations.deleteAccount.needs, .everything) { (db, own) throws(BackendError) in
      try delete(try db.existing(name), by: own, in: db)
    }
    removeTraces()
  }

  private func removeTraces() {
    // The account is deleted even if this fails: a later login, or the service, continues the
    // erasure, and later changes overwrite the traces.
    do throws(BackendError) {
      // The service erases the rest on a thread of its own.
      if isShared { _ = try erasePiece() } else { while try erasePiece() != .nothing {} }
      try database.removeTraces()
    } catch {}
  }

  /// Closes the account: erases what identifies the user, except for what ``erasePiece()`` erases,
  /// and keeps the row, because payments and events refer to it.
  ///
  /// The name is kept as a hash, so that nobody else can take it and be taken for its user.
  private func delete(_ account: AccountRow, by own: SessionRow, in db: any Transaction) throws(BackendError) {
    try db.requireDeletable(account)
    try db.endAll(of: account.id, because: .accountDeleted, by: own.account)
    let returned = try db.returnOpeningCredit(of: account.id)
    try db.record(.userDeleted, by: own, to: account.id, detail: returned.map { "opening credit of \($0) paid back" })
    for erasure in Schema.tables.compactMap(\.erasure) { try db.run(erasure, [account.id.bound]) }
    try db.run(ErasureQuery.begin, account.id)
    try db.run(AccountQuery.reserveName, try Username(account.user.username).reservation)
    try db.run(AccountQuery.erase, DeletedAccount.shownName, hasher.unmatchable, account.id)
  }
}

extension Transaction {
  fileprivate func requireDeletable(_ account: AccountRow) throws(BackendError) {
    try requireAnotherAdministrator(than: account)
    let balance = try balance(of: account.id)
    // Money of a payment is not an administrator's to move.
    let isUnused = try isUnused(account.id)
    guard balance == 0 || isUnused else {
      throw .refused(.balanceNotZero, account.user.username, Amount.text(balance))
    }
  }
}
