package import AuthCore

/// A backend over one entry: whatever answers a ``BackendRequest``.
///
/// Its operations follow, in one place: each checks that its keys are of the leased session, and
/// presents the session's token.
package protocol EntryBackend: Backend {
  /// What answers.
  var handler: any RequestHandler { get }
  /// What to call the sessions that begin here, in listings; nil for nothing.
  var label: String? { get }
  /// Where a session begins, for listings; read at each login.
  var origin: @Sendable () -> SessionOrigin? { get }
}

extension EntryBackend {
  /// The answer to a request, which `read` takes out of its case.
  package func ask<Value>(_ request: BackendRequest, _ read: (BackendAnswer) -> Value?) throws(BackendError) -> Value {
    let answer = try handler.perform(request)
    guard let value = read(answer) else {
      throw .unavailable(
        .unparsable, "answer_unknown", "The database gave the answer to another question.",
        hint: "Use programs of one version.")
    }
    return value
  }

  package func done(_ request: BackendRequest) throws(BackendError) {
    try ask(request) { if case .done = $0 { () } else { nil } }
  }

  package func grant(_ request: BackendRequest) throws(BackendError) -> Grant {
    try ask(request) { if case .grant(let grant) = $0 { grant } else { nil } }
  }

  private func account(_ request: BackendRequest) throws(BackendError) -> AccountSummary {
    try ask(request) { if case .account(let account) = $0 { account } else { nil } }
  }

  private func oneTimeCode(_ request: BackendRequest) throws(BackendError) -> OneTimeCode {
    try ask(request) { if case .oneTimeCode(let code) = $0 { code } else { nil } }
  }

  private func profile(_ request: BackendRequest) throws(BackendError) -> Profile {
    try ask(request) { if case .profile(let profile) = $0 { profile } else { nil } }
  }

  private func user(_ request: BackendRequest) throws(BackendError) -> User {
    try ask(request) { if case .user(let user) = $0 { user } else { nil } }
  }

  private func drawToken() throws(BackendError) -> SessionToken { SessionToken(bytes: try Secrets.random(count: 32)) }

  private func newSession() throws(BackendError) -> NewSession {
    NewSession(token: try drawToken(), label: label, origin: origin())
  }
}

/// The operations of ``AuthCore/Authority``.
extension EntryBackend {
  package func logIn(_ credentials: Credentials, limits: LimitRequest) throws(BackendError) -> Grant {
    try grant(.logIn(credentials, limits, try newSession()))
  }

  package func reauthenticate(
    _ token: SessionToken, password: Secret, requesting limits: LimitRequest
  ) throws(BackendError) -> Grant {
    try grant(.reauthenticate(token, password, limits, newToken: try drawToken()))
  }

  package func answer(_ code: Secret, to challenge: Challenge) throws(BackendError) -> Grant {
    try grant(.answer(code, challenge: challenge.token, try newSession()))
  }

  /// See ``AuthCore/Authority/authenticate(_:limits:)``.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    try authentication({ () throws(BackendError) in try logIn(credentials, limits: limits) }, \.asLoginFailure)
  }

  /// See ``AuthCore/Authority/reauthenticate(_:with:limits:)``.
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try authentication(
      { () throws(BackendError) in try reauthenticate(token, password: credentials.password, requesting: limits) },
      \.asReauthenticationFailure)
  }

  /// See ``AuthCore/Authority/answer(_:with:)``.
  public func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try authentication(
      { () throws(BackendError) in try self.answer(answer, to: challenge) }, \.asReauthenticationFailure)
  }

  /// See ``AuthCore/Authority/resume(_:)``.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(BackendError) { return try grant(.resume(token)) } catch { throw error.asSessionFailure }
  }

  /// See ``AuthCore/Authority/renew(_:)``.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(BackendError) { return try grant(.renew(token)) } catch { throw error.asSessionFailure }
  }

  /// See ``AuthCore/Authority/confirm(_:)``.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    do throws(BackendError) { try done(.confirm(token)) } catch { throw error.asSessionFailure }
  }

  /// See ``AuthCore/Authority/revoke(_:reason:)``.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    do throws(BackendError) { try done(.revoke(token, reason)) } catch { throw error.asUnavailability }
  }

  /// See ``Backend/lookUp(_:)``.
  public func lookUp(_ token: SessionToken) throws(BackendError) -> Grant? {
    try ask(.lookUp(token)) { if case .found(let grant) = $0 { .some(grant) } else { nil } }
  }
}

/// The operations without a session.
extension EntryBackend {
  /// See ``Backend/check(newUsername:)``.
  public func check(newUsername username: String) throws(BackendError) { try done(.checkUsername(username)) }

  /// See ``Backend/check(newPassword:for:)``.
  public func check(newPassword password: Secret, for username: String) throws(BackendError) {
    try done(.checkPassword(password, username: username))
  }

  /// See ``Backend/checkForLogins()``.
  public func checkForLogins() throws(BackendError) { try done(.checkForLogins) }

  /// See ``Backend/register(username:password:displayName:)``.
  public func register(
    username: String, password: Secret, displayName: String?
  ) throws(BackendError) -> User {
    try user(.register(username: username, password, displayName: displayName))
  }

  /// See ``Backend/recover(username:code:password:)``.
  public func recover(username: String, code: RecoveryCode, password: Secret) throws(BackendError) -> User {
    try user(.recover(username: username, code, password))
  }

  /// See ``Backend/resetPasswordAsOwner(of:)``.
  public func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode {
    try oneTimeCode(.resetPasswordAsOwner(name))
  }
}

/// The operations on the data of the leased session's user.
extension EntryBackend {
  /// See ``Backend/profile(under:)``.
  public func profile(under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try profile(.profile(lease.sessionToken))
  }

  /// See ``Backend/rename(to:under:)``.
  public func rename(to name: String, under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try profile(.rename(name, lease.sessionToken))
  }

  /// See ``Backend/changePassword(from:to:for:under:)``.
  public func changePassword(
    from present: Secret, to password: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Grant {
    try changePassword(from: present, to: password, token: try lease.token(with: session.session))
  }

  package func changePassword(
    from present: Secret, to password: Secret, token: SessionToken
  ) throws(BackendError) -> Grant {
    try grant(.changePassword(from: present, to: password, token, newToken: try drawToken()))
  }

  /// See ``Backend/deleteAccount(for:under:)``.
  public func deleteAccount(for session: FreshSession, under lease: borrowing SessionLease) throws(BackendError) {
    try done(.deleteOwnAccount(try lease.token(with: session.session)))
  }

  /// See ``Backend/makeRecoveryCodes(for:under:)``.
  public func makeRecoveryCodes(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [RecoveryCode] {
    try ask(.makeRecoveryCodes(try lease.token(with: session.session))) {
      if case .recoveryCodes(let codes) = $0 { codes } else { nil }
    }
  }

  /// See ``Backend/twoStep(under:)``.
  public func twoStep(under lease: borrowing SessionLease) throws(BackendError) -> TwoStepState {
    try ask(.twoStep(lease.sessionToken)) { if case .twoStep(let state) = $0 { state } else { nil } }
  }

  /// See ``Backend/beginTwoStep(for:under:)``.
  public func beginTwoStep(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepSecret {
    try ask(.beginTwoStep(try lease.token(with: session.session))) {
      if case .twoStepSecret(let secret) = $0 { secret } else { nil }
    }
  }

  /// See ``Backend/confirmTwoStep(_:for:under:)``.
  public func confirmTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.confirmTwoStep(code, try lease.token(with: session.session)))
  }

  /// See ``Backend/endTwoStep(_:for:under:)``.
  public func endTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.endTwoStep(code, try lease.token(with: session.session)))
  }

  /// See ``Backend/sessions(under:)``.
  public func sessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    try ask(.sessions(SessionsPage(), lease.sessionToken)) {
      if case .sessions(let sessions) = $0 { sessions } else { nil }
    }
  }

  /// See ``Backend/revokeSession(_:for:under:)``.
  public func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.revokeSession(id, try lease.token(with: session.session)))
  }

  /// See ``Backend/endAllSessions(under:)``.
  public func endAllSessions(under lease: borrowing SessionLease) throws(BackendError) -> Int {
    try ask(.endAllSessions(lease.sessionToken)) { if case .count(let count) = $0 { count } else { nil } }
  }

  /// See ``Backend/earlierPayment(of:under:)``.
  public func earlierPayment(
    of order: PaymentOrder, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt? {
    try ask(.earlierPayment(order, lease.sessionToken)) {
      if case .earlier(let receipt) = $0 { .some(receipt) } else { nil }
    }
  }

  /// See ``Backend/pay(_:under:)``.
  public func pay(
    _ intent: consuming PaymentIntent, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt {
    let token = try intent.token(of: lease)
    return try ask(.pay(intent.order, token)) { if case .receipt(let receipt) = $0 { receipt } else { nil } }
  }

  /// See ``Backend/receipts(within:matching:before:limit:under:)``.
  public func receipts(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Receipt] {
    let page = Page(within: times, matching: text, before: before, limit: limit)
    return try ask(.receipts(page, lease.sessionToken)) { if case .receipts(let list) = $0 { list } else { nil } }
  }

  private func events(_ scope: EventScope, _ page: Page, _ token: SessionToken) throws(BackendError) -> [Event] {
    try ask(.events(scope, page, token)) { if case .events(let events) = $0 { events } else { nil } }
  }

  /// See ``Backend/events(within:matching:before:limit:under:)``.
  public func events(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    try events(.own, Page(within: times, matching: text, before: before, limit: limit), lease.sessionToken)
  }

  /// See ``Backend/allEvents(within:matching:before:limit:for:under:)``.
  public func allEvents(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    let token = try lease.token(with: administrator.session)
    return try events(.everyone, Page(within: times, matching: text, before: before, limit: limit), token)
  }
}

/// The operations of administrators.
extension EntryBackend {
  /// See ``Backend/accounts(_:for:under:)``.
  public func accounts(
    _ query: AccountsQuery, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    try ask(.accounts(query, try lease.token(with: administrator.session))) {
      if case .accounts(let accounts) = $0 { accounts } else { nil }
    }
  }

  /// See ``Backend/account(named:for:under:)``.
  public func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try account(.account(name, try lease.token(with: administrator.session)))
  }

  /// See ``Backend/setDisabled(_:account:for:_:under:)``.
  public func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try account(.setDisabled(disabled, name, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/unlock(account:for:_:under:)``.
  public func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try account(.unlock(name, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/setRole(_:account:for:_:under:)``.
  public func setRole(
    _ role: Role, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try account(.setRole(role, name, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/deleteAccount(_:for:_:under:)``.
  public func deleteAccount(
    _ name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.deleteAccount(name, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/resetPassword(of:for:_:under:)``.
  public func resetPassword(
    of name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try oneTimeCode(.resetPassword(name, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/twoStepPolicy(for:under:)``.
  public func twoStepPolicy(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepPolicy {
    try ask(.twoStepPolicy(try lease.token(with: administrator.session))) {
      if case .twoStepPolicy(let policy) = $0 { policy } else { nil }
    }
  }

  /// See ``Backend/setTwoStepPolicy(_:for:_:under:)``.
  public func setTwoStepPolicy(
    _ policy: TwoStepPolicy, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.setTwoStepPolicy(policy, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/registration(for:under:)``.
  public func registration(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Registration {
    try ask(.registration(try lease.token(with: administrator.session))) {
      if case .registration(let registration) = $0 { registration } else { nil }
    }
  }

  /// See ``Backend/setRegistration(_:for:_:under:)``.
  public func setRegistration(
    _ registration: Registration, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.setRegistration(registration, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/registerOther(username:for:_:under:)``.
  public func registerOther(
    username: String, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try oneTimeCode(.registerOther(username: username, try lease.token(with: administrator.session, fresh.session)))
  }

  /// See ``Backend/noteView(of:for:under:)``.
  public func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try done(.noteView(subject, try lease.token(with: administrator.session)))
  }
}
