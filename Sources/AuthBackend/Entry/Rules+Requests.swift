import AuthCore

extension Rules {
  /// Answers a request.
  package func perform(_ request: BackendRequest) throws(BackendError) -> BackendAnswer {
    switch request {
    case .logIn(let credentials, let limits, let new): .grant(try logIn(credentials, limits: limits, for: new))
    case .reauthenticate(let token, let password, let limits, let newToken):
      .grant(try reauthenticate(token, password: password, requesting: limits, as: newToken))
    case .answer(let code, let challenge, let new): .grant(try answer(code, to: challenge, for: new))
    case .resume(let token): .grant(try resume(token))
    case .lookUp(let token): .found(try lookUp(token))
    case .renew(let token): .grant(try renew(token))
    case .confirm(let token): done(try confirm(token))
    case .revoke(let token, let reason): done(try revoke(token, reason: reason))

    case .checkUsername(let name): done(try check(newUsername: name))
    case .checkPassword(let password, let name): done(try check(newPassword: password, for: name))
    case .checkForLogins: done(try checkForLogins())

    case .register(let name, let password, let shown):
      .user(try register(username: name, password: password, displayName: shown))
    case .profile(let token): .profile(try profile(token: token))
    case .rename(let name, let token): .profile(try rename(to: name, token: token))
    case .changePassword(let present, let new, let token, let newToken):
      .grant(try changePassword(from: present, to: new, token: token, as: newToken))
    case .deleteOwnAccount(let token): done(try deleteAccount(token: token))

    case .makeRecoveryCodes(let token): .recoveryCodes(try makeRecoveryCodes(token: token))
    case .recover(let name, let code, let password):
      .user(try recover(username: name, code: code, password: password))
    case .resetPassword(let name, let token): .oneTimeCode(try resetPassword(of: name, token: token))
    case .resetPasswordAsOwner where isShared: throw .refused(.notDatabaseOwner)
    case .resetPasswordAsOwner(let name): .oneTimeCode(try resetPasswordAsOwner(of: name))

    case .twoStep(let token): .twoStep(try twoStep(token: token))
    case .beginTwoStep(let token): .twoStepSecret(try beginTwoStep(token: token))
    case .confirmTwoStep(let code, let token): done(try confirmTwoStep(code, token: token))
    case .endTwoStep(let code, let token): done(try endTwoStep(code, token: token))
    case .twoStepPolicy(let token): .twoStepPolicy(try twoStepPolicy(token: token))
    case .setTwoStepPolicy(let policy, let token): done(try setTwoStepPolicy(policy, token: token))

    case .sessions(let page, let token): .sessions(try sessions(page, token: token))
    case .revokeSession(let id, let token): done(try revokeSession(id, token: token))
    case .endAllSessions(let token): .count(try endAllSessions(token: token))

    case .earlierPayment(let order, let token): .earlier(try earlierPayment(of: order, token: token))
    case .pay(let order, let token): .receipt(try pay(order, token: token))
    case .receipts(let page, let token): .receipts(try receipts(page, token: token))
    case .events(let scope, let page, let token): .events(try events(scope, page, token: token))

    case .accounts(let query, let token): .accounts(try accounts(query, token: token))
    case .account(let name, let token): .account(try account(named: name, token: token))
    case .setDisabled(let disabled, let name, let token):
      .account(try setDisabled(disabled, account: name, token: token))
    case .unlock(let name, let token): .account(try unlock(account: name, token: token))
    case .setRole(let role, let name, let token): .account(try setRole(role, account: name, token: token))
    case .deleteAccount(let name, let token): done(try deleteAccount(name, token: token))
    case .registration(let token): .registration(try registration(token: token))
    case .setRegistration(let registration, let token): done(try setRegistration(registration, token: token))
    case .registerOther(let name, let token): .oneTimeCode(try registerOther(username: name, token: token))
    case .noteView(let subject, let token): done(try noteView(of: subject, token: token))
    }
  }

  private func done(_: Void) -> BackendAnswer { .done }
}
