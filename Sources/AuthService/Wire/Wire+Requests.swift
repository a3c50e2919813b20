import AuthBackend
import AuthCore

/// The number of each request; one that a release had is never given again.
enum RequestTag: UInt8, WireTag {
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

extension BackendRequest: WireValue {
  func write(to wire: WireWriter) {
    switch self {
    case .logIn(let who, let limits, let new): wire.put(RequestTag.logIn, who, limits, new)
    case .reauthenticate(let old, let password, let limits, let new):
      wire.put(RequestTag.reauthenticate, old, password, limits, new)
    case .answer(let code, let challenge, let new): wire.put(RequestTag.answer, code, challenge, new)
    case .resume(let token): wire.put(RequestTag.resume, token)
    case .lookUp(let token): wire.put(RequestTag.lookUp, token)
    case .renew(let token): wire.put(RequestTag.renew, token)
    case .confirm(let token): wire.put(RequestTag.confirm, token)
    case .revoke(let token, let reason): wire.put(RequestTag.revoke, token, reason)
    case .checkUsername(let name): wire.put(RequestTag.checkUsername, name)
    case .checkPassword(let password, let name): wire.put(RequestTag.checkPassword, password, name)
    case .checkForLogins: wire.put(RequestTag.checkForLogins)
    case .register(let name, let password, let shown): wire.put(RequestTag.register, name, password, shown)
    case .profile(let token): wire.put(RequestTag.profile, token)
    case .rename(let name, let token): wire.put(RequestTag.rename, name, token)
    case .changePassword(let old, let new, let token, let newToken):
      wire.put(RequestTag.changePassword, old, new, token, newToken)
    case .deleteOwnAccount(let token): wire.put(RequestTag.deleteOwnAccount, token)
    case .makeRecoveryCodes(let token): wire.put(RequestTag.makeRecoveryCodes, token)
    case .recover(let name, let code, let password): wire.put(RequestTag.recover, name, code, password)
    case .resetPassword(let name, let token): wire.put(RequestTag.resetPassword, name, token)
    case .resetPasswordAsOwner(let name): wire.put(RequestTag.resetPasswordAsOwner, name)
    case .twoStep(let token): wire.put(RequestTag.twoStep, token)
    case .beginTwoStep(let token): wire.put(RequestTag.beginTwoStep, token)
    case .confirmTwoStep(let code, let token): wire.put(RequestTag.confirmTwoStep, code, token)
    case .endTwoStep(let code, let token): wire.put(RequestTag.endTwoStep, code, token)
    case .twoStepPolicy(let token): wire.put(RequestTag.twoStepPolicy, token)
    case .setTwoStepPolicy(let policy, let token): wire.put(RequestTag.setTwoStepPolicy, policy, token)
    case .sessions(let page, let token): wire.put(RequestTag.sessions, page, token)
    case .revokeSession(let id, let token): wire.put(RequestTag.revokeSession, id, token)
    case .endAllSessions(let token): wire.put(RequestTag.endAllSessions, token)
    case .earlierPayment(let order, let token): wire.put(RequestTag.earlierPayment, order, token)
    case .pay(let order, let token): wire.put(RequestTag.pay, order, token)
    case .receipts(let page, let token): wire.put(RequestTag.receipts, page, token)
    case .events(let scope, let page, let token): wire.put(RequestTag.events, scope, page, token)
    case .accounts(let query, let token): wire.put(RequestTag.accounts, query, token)
    case .account(let name, let token): wire.put(RequestTag.account, name, token)
    case .setDisabled(let isDisabled, let name, let token): wire.put(RequestTag.setDisabled, isDisabled, name, token)
    case .unlock(let name, let token): wire.put(RequestTag.unlock, name, token)
    case .setRole(let role, let name, let token): wire.put(RequestTag.setRole, role, name, token)
    case .deleteAccount(let name, let token): wire.put(RequestTag.deleteAccount, name, token)
    case .registration(let token): wire.put(RequestTag.registration, token)
    case .setRegistration(let registration, let token): wire.put(RequestTag.setRegistration, registration, token)
    case .registerOther(let name, let token): wire.put(RequestTag.registerOther, name, token)
    case .noteView(let subject, let token): wire.put(RequestTag.noteView, subject, token)
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> BackendRequest {
    switch try wire.take(RequestTag.self) {
    case .logIn: try wire.take(BackendRequest.logIn)
    case .reauthenticate: try wire.take(BackendRequest.reauthenticate)
    case .answer: try wire.take(BackendRequest.answer)
    case .resume: try wire.take(BackendRequest.resume)
    case .lookUp: try wire.take(BackendRequest.lookUp)
    case .renew: try wire.take(BackendRequest.renew)
    case .confirm: try wire.take(BackendRequest.confirm)
    case .revoke: try wire.take(BackendRequest.revoke)
    case .checkUsername: try wire.take(BackendRequest.checkUsername)
    case .checkPassword: try wire.take(BackendRequest.checkPassword)
    case .checkForLogins: .checkForLogins
    case .register: try wire.take(BackendRequest.register)
    case .profile: try wire.take(BackendRequest.profile)
    case .rename: try wire.take(BackendRequest.rename)
    case .changePassword: try wire.take(BackendRequest.changePassword)
    case .deleteOwnAccount: try wire.take(BackendRequest.deleteOwnAccount)
    case .makeRecoveryCodes: try wire.take(BackendRequest.makeRecoveryCodes)
    case .recover: try wire.take(BackendRequest.recover)
    case .resetPassword: try wire.take(BackendRequest.resetPassword)
    case .resetPasswordAsOwner: try wire.take(BackendRequest.resetPasswordAsOwner)
    case .twoStep: try wire.take(BackendRequest.twoStep)
    case .beginTwoStep: try wire.take(BackendRequest.beginTwoStep)
    case .confirmTwoStep: try wire.take(BackendRequest.confirmTwoStep)
    case .endTwoStep: try wire.take(BackendRequest.endTwoStep)
    case .twoStepPolicy: try wire.take(BackendRequest.twoStepPolicy)
    case .setTwoStepPolicy: try wire.take(BackendRequest.setTwoStepPolicy)
    case .sessions: try wire.take(BackendRequest.sessions)
    case .revokeSession: try wire.take(BackendRequest.revokeSession)
    case .endAllSessions: try wire.take(BackendRequest.endAllSessions)
    case .earlierPayment: try wire.take(BackendRequest.earlierPayment)
    case .pay: try wire.take(BackendRequest.pay)
    case .receipts: try wire.take(BackendRequest.receipts)
    case .events: try wire.take(BackendRequest.events)
    case .accounts: try wire.take(BackendRequest.accounts)
    case .account: try wire.take(BackendRequest.account)
    case .setDisabled: try wire.take(BackendRequest.setDisabled)
    case .unlock: try wire.take(BackendRequest.unlock)
    case .setRole: try wire.take(BackendRequest.setRole)
    case .deleteAccount: try wire.take(BackendRequest.deleteAccount)
    case .registration: try wire.take(BackendRequest.registration)
    case .setRegistration: try wire.take(BackendRequest.setRegistration)
    case .registerOther: try wire.take(BackendRequest.registerOther)
    case .noteView: try wire.take(BackendRequest.noteView)
    }
  }
}
