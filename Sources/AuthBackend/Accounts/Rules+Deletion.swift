package import AuthCore

extension Rules {
  /// Deletes the session's own account.
  package func deleteAccount(token: SessionToken) throws(BackendError) {
    try writing(token, .everything, asActivity: false) { (db, own, now) throws(BackendError) in
      try requireFresh(own, at: now)
      try delete(try account(own.account, in: db), by: own, at: now, in: db)
    }
    removeTraces()
  }

  /// Deletes an account, for an administrator.
  package func deleteAccount(_ name: Username, token: SessionToken) throws(BackendError) {
    try administeringFreshly(token, "accounts") { (db, own, now) throws(BackendError) in
      try delete(try existing(name, in: db), by: own, at: now, in: db)
    }
    removeTraces()
  }

  private func removeTraces() {
    // The account is deleted whatever becomes of this. Later changes cover what could not be
    // removed.
    do throws(BackendError) { try database.removeTraces() } catch {}
  }

  /// Erases what identifies the user and keeps the row, because payments and events refer to it.
  ///
  /// The name is kept as a hash, so that nobody else can take it and be taken for its user.
  private func delete(
    _ account: AccountRow, by own: SessionRow, at now: BootInstant, in db: any Transaction
  ) throws(BackendError) {
    try requireAnotherAdministrator(than: account, in: db)
    let balance = try Ledger(db).balance(of: account.id)
    guard balance == 0 else { throw .refused(.balanceNotZero, account.user.username, Amount.text(balance)) }
    let id = SQLValue.integer(account.id)
    _ = try endAll(of: account.id, except: nil, because: .accountDeleted, by: own.account, at: now, in: db)
    try db.run(
      SessionQuery.endRest, .text(EndReason.accountDeleted.code), .integer(db.wallTime.microseconds), id)
    try record(.userDeleted, by: own, to: account.id, in: db)
    try db.run(CodeQuery.voidAll, id)
    try db.run(ChallengeQuery.closeAll, id)
    try db.run(TwoStepQuery.turnOff, id)
    try db.run(LedgerQuery.forgetKeys, id)
    try db.run(AccountQuery.reserveName, .blob(try Username(account.user.username).reservation))
    try db.run(AccountQuery.erase, .text(DeletedAccount.shownName), .text(hasher.unmatchable), id)
  }
}
