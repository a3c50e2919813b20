import AuthAccounts
import AuthCore

/// A login, and the operations that present its token.
struct Login: BackendCaller {
  let backend: any Backend
  let grant: Grant

  var token: SessionToken { grant.token }
  var user: User { grant.user }
  var id: SessionID { grant.id }

  func balance() throws -> Int64 { try profile().value().balance }
  func profile() -> Answer<Profile> { ask(Operations.profile, token) }
  func rename(_ name: String) -> Answer<Profile> { ask(Operations.rename, name, token) }
  func deleteAccount() -> Answer<Void> { ask(Operations.deleteOwnAccount, token) }

  func changePassword(_ present: Secret, _ new: Secret) throws -> Answer<Grant> {
    ask(Operations.changePassword, present, new, token, try backend.drawToken())
  }

  func makeRecoveryCodes() -> Answer<[RecoveryCode]> { ask(Operations.makeRecoveryCodes, token) }
  func twoStep() -> Answer<TwoStepState> { ask(Operations.twoStep, token) }
  func beginTwoStep() -> Answer<TwoStepSecret> { ask(Operations.beginTwoStep, token) }
  func confirmTwoStep(_ code: Secret) -> Answer<Void> { ask(Operations.confirmTwoStep, code, token) }
  func endTwoStep(_ code: Secret) -> Answer<Void> { ask(Operations.endTwoStep, code, token) }

  func sessions() -> Answer<[SessionSummary]> { ask(Operations.sessions, SessionsPage(), token) }
  func revoke(_ id: SessionID) -> Answer<Void> { ask(Operations.revokeSession, id, token) }
  func endAll() -> Answer<Int> { ask(Operations.endAllSessions, token) }

  // MARK: Payments and events

  func earlierPayment(_ order: PaymentOrder) -> Answer<Receipt?> { ask(Operations.earlierPayment, order, token) }
  func pay(_ order: PaymentOrder) -> Answer<Receipt> { ask(Operations.pay, order, token) }

  func pay(_ amount: Int64, to payee: String, key: String? = nil) throws -> Answer<Receipt> {
    pay(try PaymentOrder(minorUnits: amount, to: payee, key: key))
  }

  func receipts(_ page: Page = Page()) -> Answer<[Receipt]> { ask(Operations.receipts, page, token).map(\.rows) }

  func events(_ scope: EventScope = .own, _ page: Page = Page()) -> Answer<[Event]> {
    (scope == .own ? ask(Operations.events, scope, page, token) : ask(Operations.allEvents, scope, page, token))
      .map(\.rows)
  }

  // MARK: Administration

  func accounts(_ query: AccountsQuery = AccountsQuery(limit: 50)) -> Answer<[AccountSummary]> {
    ask(Operations.accounts, query, token)
  }

  func account(_ name: String) throws -> Answer<AccountSummary> { ask(Operations.account, try Username(name), token) }
  func unlock(_ name: String) throws -> Answer<AccountSummary> { ask(Operations.unlock, try Username(name), token) }
  func setRole(_ role: Role, _ name: String) throws -> Answer<AccountSummary> {
    ask(Operations.setRole, role, try Username(name), token)
  }
  func deleteAccount(_ name: String) throws -> Answer<Void> {
    ask(Operations.deleteAccount, try Username(name), token)
  }
  func resetPassword(_ name: String) throws -> Answer<OneTimeCode> {
    ask(Operations.resetPassword, try Username(name), token)
  }
  func twoStepPolicy() -> Answer<TwoStepPolicy> { ask(Operations.twoStepPolicy, token) }
  func setTwoStepPolicy(_ policy: TwoStepPolicy) -> Answer<Void> { ask(Operations.setTwoStepPolicy, policy, token) }
  func registration() -> Answer<Registration> { ask(Operations.registration, token) }
  func setRegistration(_ new: Registration) -> Answer<Void> { ask(Operations.setRegistration, new, token) }
  func noteView(_ subject: String) -> Answer<Void> { ask(Operations.noteView, subject, token) }

  func setDisabled(_ disabled: Bool, _ name: String) throws -> Answer<AccountSummary> {
    ask(Operations.setDisabled, disabled, try Username(name), token)
  }

  func registerOther(_ name: String) -> Answer<OneTimeCode> { ask(Operations.registerOther, name, token) }
}

extension PaymentOrder {
  init(minorUnits: Int64, to payee: String, key: String? = nil) throws(BackendError) {
    let key = try key.map { (key) throws(BackendError) in try IdempotencyKey(key) }
    self.init(amount: try Amount(minorUnits: minorUnits), payee: try Username(payee), key: key)
  }
}
