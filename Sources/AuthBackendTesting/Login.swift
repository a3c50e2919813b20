import AuthBackend
import AuthCore

/// A login, and the operations that present its token.
struct Login: BackendCaller {
  let backend: any Backend
  let grant: Grant

  var token: SessionToken { grant.token }
  var user: User { grant.user }
  var id: SessionID { grant.id }

  func balance() throws -> Int64 { try profile().value().balance }
  func profile() -> Answer<Profile> { ask(.profile(token), \.profile) }
  func rename(_ name: String) -> Answer<Profile> { ask(.rename(name, token), \.profile) }
  func deleteAccount() -> Answer<Void> { ask(.deleteOwnAccount(token), \.done) }

  func changePassword(_ present: Secret, _ new: Secret) -> Answer<Grant> {
    ask(.changePassword(from: present, to: new, token, newToken: try backend.drawToken()), \.grant)
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

  func pay(_ amount: Int64, to payee: String, key: String? = nil) -> Answer<Receipt> {
    ask(.pay(try PaymentOrder(minorUnits: amount, to: payee, key: key), token), \.receipt)
  }

  func receipts(_ page: Page = Page()) -> Answer<[Receipt]> { ask(.receipts(page, token)) { $0.receipts?.rows } }

  func events(_ scope: EventScope = .own, _ page: Page = Page()) -> Answer<[Event]> {
    ask(.events(scope, page, token)) { $0.events?.rows }
  }

  // MARK: Administration

  func accounts(_ query: AccountsQuery = AccountsQuery(limit: 50)) -> Answer<[AccountSummary]> {
    ask(.accounts(query, token), \.accounts)
  }

  func account(_ name: String) -> Answer<AccountSummary> { ask(.account(try Username(name), token), \.account) }
  func unlock(_ name: String) -> Answer<AccountSummary> { ask(.unlock(try Username(name), token), \.account) }
  func setRole(_ role: Role, _ name: String) -> Answer<AccountSummary> {
    ask(.setRole(role, try Username(name), token), \.account)
  }
  func deleteAccount(_ name: String) -> Answer<Void> { ask(.deleteAccount(try Username(name), token), \.done) }
  func resetPassword(_ name: String) -> Answer<OneTimeCode> {
    ask(.resetPassword(try Username(name), token), \.oneTimeCode)
  }
  func twoStepPolicy() -> Answer<TwoStepPolicy> { ask(.twoStepPolicy(token), \.twoStepPolicy) }
  func setTwoStepPolicy(_ policy: TwoStepPolicy) -> Answer<Void> { ask(.setTwoStepPolicy(policy, token), \.done) }
  func registration() -> Answer<Registration> { ask(.registration(token), \.registration) }
  func setRegistration(_ new: Registration) -> Answer<Void> { ask(.setRegistration(new, token), \.done) }
  func noteView(_ subject: String) -> Answer<Void> { ask(.noteView(subject, token), \.done) }

  func setDisabled(_ disabled: Bool, _ name: String) -> Answer<AccountSummary> {
    ask(.setDisabled(disabled, try Username(name), token), \.account)
  }

  func registerOther(_ name: String) -> Answer<OneTimeCode> {
    ask(.registerOther(username: name, token), \.oneTimeCode)
  }
}

extension PaymentOrder {
  init(minorUnits: Int64, to payee: String, key: String? = nil) throws(BackendError) {
    let key = try key.map { (key) throws(BackendError) in try IdempotencyKey(key) }
    self.init(amount: try Amount(minorUnits: minorUnits), payee: try Username(payee), key: key)
  }
}
