import AuthCore

extension Rules {
  /// Answers a request.
  package func perform(_ request: BackendRequest) throws(BackendError) -> BackendAnswer {
    switch request {
    case .logIn(let credentials, let limits, let new):
      return .grant(try logIn(credentials, limits: limits, for: new))
    case .reauthenticate(let token, let password, let limits, let newToken):
      return .grant(try reauthenticate(token, password: password, requesting: limits, as: newToken))
    case .answer(let code, let challenge, let new): return .grant(try answer(code, to: challenge, for: new))
    case .resume(let token): return .grant(try resume(token))
    case .lookUp(let token): return .found(try lookUp(token))
    case .renew(let token): return .grant(try renew(token))
    case .confirm(let token): return done(try confirm(token))
    case .revoke(let token, let reason): return done(try revoke(token, reason: reason))

    case .checkUsername(let name): return done(try check(newUsername: name))
    case .checkPassword(let password, let name): return done(try check(newPassword: password, for: name))
    case .checkForLogins: return done(try checkForLogins())

    case .register(let name, let password, let shown):
      return .user(try register(username: name, password: password, displayName: shown))
    case .profile(let token): return .profile(try profile(token: token))
    case .rename(let name, let token): return .profile(try rename(to: name, token: token))
    case .changePassword(let present, let new, let token, let newToken):
      return .grant(try changePassword(from: present, to: new, token: token, as: newToken))
    case .deleteOwnAccount(let token): return done(try deleteAccount(token: token))

    case .makeRecoveryCodes(let token): return .recoveryCodes(try makeRecoveryCodes(token: token))
    case .recover(let name, let code, let password):
      return .user(try recover(username: name, code: code, password: password))
    case .resetPassword(let name, let token): return .oneTimeCode(try resetPassword(of: name, token: token))
    case .resetPasswordAsOwner where isShared: throw .refused(.notDatabaseOwner)
    case .resetPasswordAsOwner(let name): return .oneTimeCode(try resetPasswordAsOwner(of: name))

    case .twoStep(let token): return .twoStep(try twoStep(token: token))
    case .beginTwoStep(let token): return .twoStepSecret(try beginTwoStep(token: token))
    case .confirmTwoStep(let code, let token): return done(try confirmTwoStep(code, token: token))
    case .endTwoStep(let code, let token): return done(try endTwoStep(code, token: token))
    case .twoStepPolicy(let token): return .twoStepPolicy(try twoStepPolicy(token: token))
    case .setTwoStepPolicy(let policy, let token): return done(try setTwoStepPolicy(policy, token: token))

    case .sessions(let page, let token): return .sessions(try sessions(page, token: token))
    case .revokeSession(let id, let token): return done(try revokeSession(id, token: token))
    case .endAllSessions(let token): return .count(try endAllSessions(token: token))

    case .earlierPayment(let order, let token): return .earlier(try earlierPayment(of: order, token: token))
    case .pay(let order, let token): return .receipt(try pay(order, token: token))
    case .receipts(let page, let token):
      return .receipts(
        try receipts(within: page.times, matching: page.text, before: page.before, limit: page.limit, token: token))
    case .events(let scope, let page, let token):
      return .events(
        try events(
          scope, within: page.times, matching: page.text, before: page.before, limit: page.limit, token: token))

    case .accounts(let query, let token): return .accounts(try accounts(query, token: token))
    case .account(let name, let token): return .account(try account(named: name, token: token))
    case .setDisabled(let disabled, let name, let token):
      return .account(try setDisabled(disabled, account: name, token: token))
    case .unlock(let name, let token): return .account(try unlock(account: name, token: token))
    case .setRole(let role, let name, let token): return .account(try setRole(role, account: name, token: token))
    case .deleteAccount(let name, let token): return done(try deleteAccount(name, token: token))
    case .registration(let token): return .registration(try registration(token: token))
    case .setRegistration(let registration, let token):
      return done(try setRegistration(registration, token: token))
    case .registerOther(let name, let token): return .oneTimeCode(try registerOther(username: name, token: token))
    case .noteView(let subject, let token): return done(try noteView(of: subject, token: token))
    }
  }

  private func done(_: Void) -> BackendAnswer { .done }
}
