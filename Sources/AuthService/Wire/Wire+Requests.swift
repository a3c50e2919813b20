import AuthBackend
import AuthCore

/// The number of each request; one that a release had is never given again.
enum RequestTag: UInt8, CaseIterable {
  case logIn = 1, reauthenticate, answer, resume, lookUp, renew, confirm, revoke
  case checkUsername, checkPassword, checkForLogins
  case register, profile, rename, changePassword, deleteOwnAccount
  case makeRecoveryCodes, recover, resetPassword, resetPasswordAsOwner
  case twoStep, beginTwoStep, confirmTwoStep, endTwoStep, twoStepPolicy, setTwoStepPolicy
  case sessions, revokeSession, endAllSessions
  case earlierPayment, pay, receipts, events
  case accounts, account, setDisabled, unlock, setRole, deleteAccount
  case registration, setRegistration, registerOther, noteView
}

extension WireWriter {
  func request(_ request: BackendRequest) {
    switch request {
    case .logIn(let who, let limits, let new):
      tag(.logIn).text(who.username).password(who.password).limitRequest(limits).newSession(new)
    case .reauthenticate(let old, let password, let limits, let new):
      tag(.reauthenticate).token(old).password(password).limitRequest(limits).token(new)
    case .answer(let code, let challenge, let new): tag(.answer).password(code).token(challenge).newSession(new)
    case .resume(let token): tag(.resume).token(token)
    case .lookUp(let token): tag(.lookUp).token(token)
    case .renew(let token): tag(.renew).token(token)
    case .confirm(let token): tag(.confirm).token(token)
    case .revoke(let token, let reason): tag(.revoke).token(token).endReason(reason)
    case .checkUsername(let name): tag(.checkUsername).text(name)
    case .checkPassword(let password, let name): tag(.checkPassword).password(password).text(name)
    case .checkForLogins: tag(.checkForLogins)
    case .register(let name, let password, let shown):
      tag(.register).text(name).password(password).optional(shown, text)
    case .profile(let token): tag(.profile).token(token)
    case .rename(let name, let token): tag(.rename).text(name).token(token)
    case .changePassword(let old, let new, let token, let newToken):
      tag(.changePassword).password(old).password(new).token(token).token(newToken)
    case .deleteOwnAccount(let token): tag(.deleteOwnAccount).token(token)
    case .makeRecoveryCodes(let token): tag(.makeRecoveryCodes).token(token)
    case .recover(let name, let code, let password): tag(.recover).text(name).recoveryCode(code).password(password)
    case .resetPassword(let name, let token): tag(.resetPassword).username(name).token(token)
    case .resetPasswordAsOwner(let name): tag(.resetPasswordAsOwner).username(name)
    case .twoStep(let token): tag(.twoStep).token(token)
    case .beginTwoStep(let token): tag(.beginTwoStep).token(token)
    case .confirmTwoStep(let code, let token): tag(.confirmTwoStep).password(code).token(token)
    case .endTwoStep(let code, let token): tag(.endTwoStep).password(code).token(token)
    case .twoStepPolicy(let token): tag(.twoStepPolicy).token(token)
    case .setTwoStepPolicy(let policy, let token): tag(.setTwoStepPolicy).word(policy).token(token)
    case .sessions(let page, let token): tag(.sessions).sessionsPage(page).token(token)
    case .revokeSession(let id, let token): tag(.revokeSession).text(id.rawValue).token(token)
    case .endAllSessions(let token): tag(.endAllSessions).token(token)
    case .earlierPayment(let order, let token): tag(.earlierPayment).order(order).token(token)
    case .pay(let order, let token): tag(.pay).order(order).token(token)
    case .receipts(let page, let token): tag(.receipts).page(page).token(token)
    case .events(let scope, let page, let token): tag(.events).scope(scope).page(page).token(token)
    case .accounts(let query, let token): tag(.accounts).accountsQuery(query).token(token)
    case .account(let name, let token): tag(.account).username(name).token(token)
    case .setDisabled(let isDisabled, let name, let token):
      tag(.setDisabled).flag(isDisabled).username(name).token(token)
    case .unlock(let name, let token): tag(.unlock).username(name).token(token)
    case .setRole(let role, let name, let token): tag(.setRole).word(role).username(name).token(token)
    case .deleteAccount(let name, let token): tag(.deleteAccount).username(name).token(token)
    case .registration(let token): tag(.registration).token(token)
    case .setRegistration(let registration, let token): tag(.setRegistration).word(registration).token(token)
    case .registerOther(let name, let token): tag(.registerOther).text(name).token(token)
    case .noteView(let subject, let token): tag(.noteView).text(subject).token(token)
    }
  }

  @discardableResult
  private func tag(_ tag: RequestTag) -> WireWriter { byte(tag.rawValue) }
}

extension WireReader {
  mutating func request() throws(WireFault) -> BackendRequest {
    switch try tag(RequestTag.self) {
    case .logIn:
      .logIn(Credentials.password(username: try text(), password: try password()), try limitRequest(), try newSession())
    case .reauthenticate: .reauthenticate(try token(), try password(), try limitRequest(), newToken: try token())
    case .answer: .answer(try password(), challenge: try token(), try newSession())
    case .resume: .resume(try token())
    case .lookUp: .lookUp(try token())
    case .renew: .renew(try token())
    case .confirm: .confirm(try token())
    case .revoke: .revoke(try token(), try endReason())
    case .checkUsername: .checkUsername(try text())
    case .checkPassword: .checkPassword(try password(), username: try text())
    case .checkForLogins: .checkForLogins
    case .register: .register(username: try text(), try password(), displayName: try optionalText())
    case .profile: .profile(try token())
    case .rename: .rename(try text(), try token())
    case .changePassword:
      .changePassword(from: try password(), to: try password(), try token(), newToken: try token())
    case .deleteOwnAccount: .deleteOwnAccount(try token())
    case .makeRecoveryCodes: .makeRecoveryCodes(try token())
    case .recover: .recover(username: try text(), try recoveryCode(), try password())
    case .resetPassword: .resetPassword(try username(), try token())
    case .resetPasswordAsOwner: .resetPasswordAsOwner(try username())
    case .twoStep: .twoStep(try token())
    case .beginTwoStep: .beginTwoStep(try token())
    case .confirmTwoStep: .confirmTwoStep(try password(), try token())
    case .endTwoStep: .endTwoStep(try password(), try token())
    case .twoStepPolicy: .twoStepPolicy(try token())
    case .setTwoStepPolicy: .setTwoStepPolicy(try word(), try token())
    case .sessions: .sessions(try sessionsPage(), try token())
    case .revokeSession: .revokeSession(try sessionID(), try token())
    case .endAllSessions: .endAllSessions(try token())
    case .earlierPayment: .earlierPayment(try order(), try token())
    case .pay: .pay(try order(), try token())
    case .receipts: .receipts(try page(), try token())
    case .events: .events(try scope(), try page(), try token())
    case .accounts: .accounts(try accountsQuery(), try token())
    case .account: .account(try username(), try token())
    case .setDisabled: .setDisabled(try flag(), try username(), try token())
    case .unlock: .unlock(try username(), try token())
    case .setRole: .setRole(try word(), try username(), try token())
    case .deleteAccount: .deleteAccount(try username(), try token())
    case .registration: .registration(try token())
    case .setRegistration: .setRegistration(try word(), try token())
    case .registerOther: .registerOther(username: try text(), try token())
    case .noteView: .noteView(try text(), try token())
    }
  }
}
