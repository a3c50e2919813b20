package import AuthCore

/// A backend of this package: its operations take the token of a session.
///
/// The operations of ``Backend`` follow from them, in one place: each checks that its keys are of
/// the leased session, and presents the token. Only these may take a token; an app always has a
/// lease.
package protocol TokenBackend: Backend {
  /// What ``AuthCore/Authority/authenticate(_:limits:)`` does.
  ///
  /// The attempt is counted before the password is judged. Unknown name, wrong password and
  /// disabled account get one answer at one cost.
  func logIn(_ credentials: Credentials, limits: LimitRequest) throws(BackendError) -> Grant
  /// What ``AuthCore/Authority/reauthenticate(_:password:limits:)`` does.
  func reauthenticate(
    _ token: SessionToken, password: Password, requesting limits: LimitRequest
  ) throws(BackendError) -> Grant
  func profile(token: SessionToken) throws(BackendError) -> Profile
  func rename(to name: String, token: SessionToken) throws(BackendError) -> Profile
  func changePassword(
    from present: Password, to password: Password, token: SessionToken
  ) throws(BackendError) -> Grant
  func deleteAccount(token: SessionToken) throws(BackendError)
  func makeRecoveryCodes(token: SessionToken) throws(BackendError) -> [RecoveryCode]
  /// What ``AuthCore/Authority/answer(_:with:)`` does.
  ///
  /// It has no default, so that no backend of this package forgets it.
  func answer(_ code: Password, to challenge: Challenge) throws(BackendError) -> Grant
  func twoStep(token: SessionToken) throws(BackendError) -> TwoStepState
  func beginTwoStep(token: SessionToken) throws(BackendError) -> TwoStepSecret
  func confirmTwoStep(_ code: Password, token: SessionToken) throws(BackendError)
  func endTwoStep(_ code: Password, token: SessionToken) throws(BackendError)
  func twoStepPolicy(token: SessionToken) throws(BackendError) -> TwoStepPolicy
  func setTwoStepPolicy(_ policy: TwoStepPolicy, token: SessionToken) throws(BackendError)
  func sessions(token: SessionToken) throws(BackendError) -> [SessionSummary]
  func revokeSession(_ id: SessionID, token: SessionToken) throws(BackendError)
  func endAllSessions(token: SessionToken) throws(BackendError) -> Int
  func earlierPayment(of order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt?
  func pay(_ order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt
  func receipts(
    within times: TimeSpan, before: Int64?, limit: Int, token: SessionToken
  ) throws(BackendError) -> [Receipt]
  func events(
    _ scope: EventScope, within times: TimeSpan, before: Int64?, limit: Int, token: SessionToken
  ) throws(BackendError) -> [Event]
  func accounts(_ query: AccountsQuery, token: SessionToken) throws(BackendError) -> [AccountSummary]
  func account(named name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  func setDisabled(_ disabled: Bool, account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  func unlock(account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  func resetPassword(of name: Username, token: SessionToken) throws(BackendError) -> OneTimeCode
  func setRole(_ role: Role, account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  func deleteAccount(_ name: Username, token: SessionToken) throws(BackendError)
  func registration(token: SessionToken) throws(BackendError) -> Registration
  func setRegistration(_ registration: Registration, token: SessionToken) throws(BackendError)
  func registerOther(username: String, token: SessionToken) throws(BackendError) -> OneTimeCode
  func noteView(of subject: String, token: SessionToken) throws(BackendError)
}

extension TokenBackend {
  /// See ``AuthCore/Authority/authenticate(_:limits:)``.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant {
    do throws(BackendError) {
      return try logIn(credentials, limits: limits)
    } catch {
      throw error.asLoginFailure
    }
  }

  /// See ``AuthCore/Authority/reauthenticate(_:password:limits:)``.
  public func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    do throws(BackendError) {
      return try reauthenticate(token, password: password, requesting: limits)
    } catch {
      throw error.asReauthenticationFailure
    }
  }

  /// Answers the store with what is known of a session.
  package func answering<Answer>(
    _ body: () throws(BackendError) -> Answer
  ) throws(AuthorityError<SessionRejection>) -> Answer {
    do throws(BackendError) {
      return try body()
    } catch {
      throw error.asSessionFailure
    }
  }

  /// See ``Backend/profile(under:)``.
  public func profile(under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try profile(token: lease.sessionToken)
  }

  /// See ``Backend/rename(to:under:)``.
  public func rename(to name: String, under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try rename(to: name, token: lease.sessionToken)
  }

  /// See ``Backend/changePassword(from:to:for:under:)``.
  public func changePassword(
    from present: Password, to password: Password, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Grant {
    try changePassword(from: present, to: password, token: try lease.token(with: session.session))
  }

  /// See ``AuthCore/Authority/answer(_:with:)``.
  public func answer(
    _ challenge: Challenge, with answer: Password
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    do throws(BackendError) {
      return try self.answer(answer, to: challenge)
    } catch {
      throw error.asReauthenticationFailure
    }
  }

  /// See ``Backend/twoStep(under:)``.
  public func twoStep(under lease: borrowing SessionLease) throws(BackendError) -> TwoStepState {
    try twoStep(token: lease.sessionToken)
  }

  /// See ``Backend/beginTwoStep(for:under:)``.
  public func beginTwoStep(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepSecret {
    try beginTwoStep(token: try lease.token(with: session.session))
  }

  /// See ``Backend/confirmTwoStep(_:for:under:)``.
  public func confirmTwoStep(
    _ code: Password, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try confirmTwoStep(code, token: try lease.token(with: session.session))
  }

  /// See ``Backend/endTwoStep(_:for:under:)``.
  public func endTwoStep(
    _ code: Password, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try endTwoStep(code, token: try lease.token(with: session.session))
  }

  /// See ``Backend/twoStepPolicy(for:under:)``.
  public func twoStepPolicy(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepPolicy {
    try twoStepPolicy(token: try lease.token(with: administrator.session))
  }

  /// See ``Backend/setTwoStepPolicy(_:for:_:under:)``.
  public func setTwoStepPolicy(
    _ policy: TwoStepPolicy, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try setTwoStepPolicy(policy, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/sessions(under:)``.
  public func sessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    try sessions(token: lease.sessionToken)
  }

  /// See ``Backend/revokeSession(_:for:under:)``.
  public func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try revokeSession(id, token: try lease.token(with: session.session))
  }

  /// See ``Backend/endAllSessions(under:)``.
  public func endAllSessions(under lease: borrowing SessionLease) throws(BackendError) -> Int {
    try endAllSessions(token: lease.sessionToken)
  }

  /// See ``Backend/earlierPayment(of:under:)``.
  public func earlierPayment(
    of order: PaymentOrder, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt? {
    try earlierPayment(of: order, token: lease.sessionToken)
  }

  /// See ``Backend/pay(_:under:)``.
  public func pay(
    _ intent: consuming PaymentIntent, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt {
    try pay(intent.order, token: try intent.token(of: lease))
  }

  /// See ``Backend/receipts(within:before:limit:under:)``.
  public func receipts(
    within times: TimeSpan, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Receipt] {
    try receipts(within: times, before: before, limit: limit, token: lease.sessionToken)
  }

  /// See ``Backend/events(within:before:limit:under:)``.
  public func events(
    within times: TimeSpan, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    try events(.own, within: times, before: before, limit: limit, token: lease.sessionToken)
  }

  /// See ``Backend/allEvents(within:before:limit:for:under:)``.
  public func allEvents(
    within times: TimeSpan, before: Int64?, limit: Int, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    let token = try lease.token(with: administrator.session)
    return try events(.everyone, within: times, before: before, limit: limit, token: token)
  }

  /// See ``Backend/accounts(_:for:under:)``.
  public func accounts(
    _ query: AccountsQuery, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    try accounts(query, token: try lease.token(with: administrator.session))
  }

  /// See ``Backend/account(named:for:under:)``.
  public func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try account(named: name, token: try lease.token(with: administrator.session))
  }

  /// See ``Backend/setDisabled(_:account:for:_:under:)``.
  public func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    let token = try lease.token(with: administrator.session, fresh.session)
    return try setDisabled(disabled, account: name, token: token)
  }

  /// See ``Backend/unlock(account:for:_:under:)``.
  public func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try unlock(account: name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/deleteAccount(for:under:)``.
  public func deleteAccount(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try deleteAccount(token: try lease.token(with: session.session))
  }

  /// See ``Backend/makeRecoveryCodes(for:under:)``.
  public func makeRecoveryCodes(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [RecoveryCode] {
    try makeRecoveryCodes(token: try lease.token(with: session.session))
  }

  /// See ``Backend/resetPassword(of:for:_:under:)``.
  public func resetPassword(
    of name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try resetPassword(of: name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/setRole(_:account:for:_:under:)``.
  public func setRole(
    _ role: Role, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try setRole(role, account: name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/deleteAccount(_:for:_:under:)``.
  public func deleteAccount(
    _ name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try deleteAccount(name, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/registration(for:under:)``.
  public func registration(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Registration {
    try registration(token: try lease.token(with: administrator.session))
  }

  /// See ``Backend/setRegistration(_:for:_:under:)``.
  public func setRegistration(
    _ registration: Registration, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try setRegistration(registration, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/registerOther(username:for:_:under:)``.
  public func registerOther(
    username: String, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try registerOther(username: username, token: try lease.token(with: administrator.session, fresh.session))
  }

  /// See ``Backend/noteView(of:for:under:)``.
  public func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try noteView(of: subject, token: try lease.token(with: administrator.session))
  }
}
