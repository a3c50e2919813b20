public import AuthBackend
public import AuthCore

/// The operations of ``AuthBackend/Backend``: each checks that its keys are of the leased session,
/// and presents the token.
extension PostgresBackend: Backend {
  /// Tokens name the database that issued them.
  public var issuer: TokenIssuer { .server }

  /// What the connection is to; nil before the first call.
  public var connection: BackendConnection? { server.facts }

  /// See ``AuthBackend/Backend/changes()``.
  public func changes() throws(BackendError) -> any ChangeSource {
    ServerChanges(address: server.address, limits: server.limits)
  }

  /// See ``AuthBackend/Backend/check(newUsername:)``.
  public func check(newUsername username: String) throws(BackendError) {
    try check(free: try Username(username))
  }

  /// See ``AuthBackend/Backend/check(newPassword:for:)``.
  public func check(newPassword password: Password, for username: String) throws(BackendError) {
    _ = try PasswordPolicy.accept(password, for: try Username(username))
  }

  /// See ``AuthBackend/Backend/checkForLogins()``.
  public func checkForLogins() throws(BackendError) {
    _ = try server.ask()
  }

  /// See ``AuthBackend/Backend/profile(under:)``.
  public func profile(under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try profile(token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/rename(to:under:)``.
  public func rename(to name: String, under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try rename(to: name, token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/changePassword(from:to:for:under:)``.
  public func changePassword(
    from present: Password, to password: Password, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Grant {
    try changePassword(from: present, to: password, token: try lease.token(with: session.session))
  }

  /// See ``AuthBackend/Backend/sessions(under:)``.
  public func sessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    try sessions(token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/revokeSession(_:for:under:)``.
  public func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try revokeSession(id, token: try lease.token(with: session.session))
  }

  /// See ``AuthBackend/Backend/endAllSessions(under:)``.
  public func endAllSessions(under lease: borrowing SessionLease) throws(BackendError) -> Int {
    try endAllSessions(token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/earlierPayment(of:under:)``.
  public func earlierPayment(
    of order: PaymentOrder, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt? {
    try earlierPayment(of: order, token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/pay(_:under:)``.
  public func pay(
    _ intent: consuming PaymentIntent, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt {
    try pay(intent.order, token: try intent.token(of: lease))
  }

  /// See ``AuthBackend/Backend/receipts(within:before:limit:under:)``.
  public func receipts(
    within times: TimeSpan, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Receipt] {
    try receipts(within: times, before: before, limit: limit, token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/events(within:before:limit:under:)``.
  public func events(
    within times: TimeSpan, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    try events(.own, within: times, before: before, limit: limit, token: lease.sessionToken)
  }

  /// See ``AuthBackend/Backend/allEvents(within:before:limit:for:under:)``.
  public func allEvents(
    within times: TimeSpan, before: Int64?, limit: Int, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    let token = try lease.token(with: administrator.session)
    return try events(.everyone, within: times, before: before, limit: limit, token: token)
  }

  /// See ``AuthBackend/Backend/accounts(after:limit:for:under:)``.
  public func accounts(
    after: String?, limit: Int, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    try accounts(after: after, limit: limit, token: try lease.token(with: administrator.session))
  }

  /// See ``AuthBackend/Backend/account(named:for:under:)``.
  public func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try account(named: name, token: try lease.token(with: administrator.session))
  }

  /// See ``AuthBackend/Backend/setDisabled(_:account:for:_:under:)``.
  public func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    let token = try lease.token(with: administrator.session, fresh.session)
    return try setDisabled(disabled, account: name, token: token)
  }

  /// See ``AuthBackend/Backend/unlock(account:for:_:under:)``.
  public func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try unlock(account: name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``AuthBackend/Backend/deleteAccount(for:under:)``.
  public func deleteAccount(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try deleteAccount(token: try lease.token(with: session.session))
  }

  /// See ``AuthBackend/Backend/makeRecoveryCodes(for:under:)``.
  public func makeRecoveryCodes(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [RecoveryCode] {
    try makeRecoveryCodes(token: try lease.token(with: session.session))
  }

  /// See ``AuthBackend/Backend/resetPassword(of:for:_:under:)``.
  public func resetPassword(
    of name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try resetPassword(of: name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``AuthBackend/Backend/setRole(_:account:for:_:under:)``.
  public func setRole(
    _ role: Role, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try setRole(role, account: name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``AuthBackend/Backend/deleteAccount(_:for:_:under:)``.
  public func deleteAccount(
    _ name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try deleteAccount(name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``AuthBackend/Backend/registration(for:under:)``.
  public func registration(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Registration {
    try registration(token: try lease.token(with: administrator.session))
  }

  /// See ``AuthBackend/Backend/setRegistration(_:for:_:under:)``.
  public func setRegistration(
    _ registration: Registration, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try setRegistration(registration, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``AuthBackend/Backend/registerOther(username:for:_:under:)``.
  public func registerOther(
    username: String, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try registerOther(username: username, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``AuthBackend/Backend/noteView(of:for:under:)``.
  public func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try noteView(of: subject, token: try lease.token(with: administrator.session))
  }
}
