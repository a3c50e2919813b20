import AuthBackend
import AuthCore

/// A login, and the operations that present its token.
struct Login {
  let backend: any Backend
  let grant: Grant

  var token: SessionToken { grant.token }
  var user: User { grant.user }
  var id: SessionID { grant.id }

  private func ask<Value>(_ request: BackendRequest, _ value: (BackendAnswer) -> Value?) -> Answer<Value> {
    Result { () throws(BackendError) in try backend.ask(request, value) }
  }

  func balance() throws -> Int64 { try profile().value("profile").balance }
  func profile() -> Answer<Profile> { ask(.profile(token), \.profile) }
  func rename(_ name: String) -> Answer<Profile> { ask(.rename(name, token), \.profile) }
  func deleteAccount() -> Answer<Void> { ask(.deleteOwnAccount(token), \.done) }

  func changePassword(_ present: Secret, _ new: Secret) -> Answer<Grant> {
    Result { () throws(BackendError) in try backend.changePassword(from: present, to: new, token: token) }
  }

  func makeRecoveryCodes() -> Answer<[RecoveryCode]> { ask(.makeRecoveryCodes(token), \.recoveryCodes) }
  func twoStep() -> Answer<TwoStepState> { ask(.twoStep(token), \.twoStep) }
  func beginTwoStep() -> Answer<TwoStepSecret> { ask(.beginTwoStep(token), \.twoStepSecret) }
  func confirmTwoStep(_ code: Secret) -> Answer<Void> { ask(.confirmTwoStep(code, token), \.done) }
  func endTwoStep(_ code: Secret) -> Answer<Void> { ask(.endTwoStep(code, token), \.done) }

  func sessions() -> Answer<[SessionSummary]> { ask(.sessions(SessionsPage(), token), \.sessions) }
  func revoke(_ id: SessionID) -> Answer<Void> { ask(.revokeSession(id, token), \.done) }
  func endAll() -> Answer<Int> { ask(.endAllSessions(token), \.count) }

  // MARK: Payments and events

  func earlierPayment(_ order: PaymentOrder) -> Answer<Receipt?> { ask(.earlierPayment(order, token), \.earlier) }
  func pay(_ order: PaymentOrder) -> Answer<Receipt> { ask(.pay(order, token), \.receipt) }

  func receipts(
    within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil, limit: Int = 50
  ) -> Answer<[Receipt]> {
    ask(.receipts(Page(within: times, matching: text, before: before, limit: limit), token), \.receipts)
  }

  func events(
    _ scope: EventScope = .own, since: WallTime? = nil, until: WallTime? = nil, matching text: String = "",
    before: Int64? = nil, limit: Int = 50
  ) -> Answer<[Event]> {
    let times = TimeSpan(since: since, until: until)
    return ask(.events(scope, Page(within: times, matching: text, before: before, limit: limit), token), \.events)
  }

  // MARK: Administration

  func accounts(_ query: AccountsQuery = AccountsQuery(limit: 50)) -> Answer<[AccountSummary]> {
    ask(.accounts(query, token), \.accounts)
  }

  func account(_ name: Username) -> Answer<AccountSummary> { ask(.account(name, token), \.account) }
  func unlock(_ name: Username) -> Answer<AccountSummary> { ask(.unlock(name, token), \.account) }
  func setRole(_ role: Role, _ name: Username) -> Answer<AccountSummary> { ask(.setRole(role, name, token), \.account) }
  func deleteAccount(_ name: Username) -> Answer<Void> { ask(.deleteAccount(name, token), \.done) }
  func resetPassword(_ name: Username) -> Answer<OneTimeCode> { ask(.resetPassword(name, token), \.oneTimeCode) }
  func twoStepPolicy() -> Answer<TwoStepPolicy> { ask(.twoStepPolicy(token), \.twoStepPolicy) }
  func setTwoStepPolicy(_ policy: TwoStepPolicy) -> Answer<Void> { ask(.setTwoStepPolicy(policy, token), \.done) }
  func registration() -> Answer<Registration> { ask(.registration(token), \.registration) }
  func setRegistration(_ new: Registration) -> Answer<Void> { ask(.setRegistration(new, token), \.done) }
  func noteView(_ subject: String) -> Answer<Void> { ask(.noteView(subject, token), \.done) }

  func setDisabled(_ disabled: Bool, _ name: Username) -> Answer<AccountSummary> {
    ask(.setDisabled(disabled, name, token), \.account)
  }

  func registerOther(_ name: String) -> Answer<OneTimeCode> {
    ask(.registerOther(username: name, token), \.oneTimeCode)
  }
}
