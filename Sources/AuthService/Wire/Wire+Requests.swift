import AuthBackend

/// New requests come at the end: a number is never given again.
extension BackendRequest: WireUnion {
  static let forms: [WireForm<BackendRequest>] = [
    WireForm(Self.logIn) { if case .logIn(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.reauthenticate) {
      if case .reauthenticate(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil }
    },
    WireForm(Self.answer) { if case .answer(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.resume) { if case .resume(let a) = $0 { a } else { nil } },
    WireForm(Self.lookUp) { if case .lookUp(let a) = $0 { a } else { nil } },
    WireForm(Self.renew) { if case .renew(let a) = $0 { a } else { nil } },
    WireForm(Self.confirm) { if case .confirm(let a) = $0 { a } else { nil } },
    WireForm(Self.revoke) { if case .revoke(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.checkUsername) { if case .checkUsername(let a) = $0 { a } else { nil } },
    WireForm(Self.checkPassword) { if case .checkPassword(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.checkForLogins) { if case .checkForLogins = $0 { true } else { false } },
    WireForm(Self.register) { if case .register(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.profile) { if case .profile(let a) = $0 { a } else { nil } },
    WireForm(Self.rename) { if case .rename(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.changePassword) {
      if case .changePassword(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil }
    },
    WireForm(Self.deleteOwnAccount) { if case .deleteOwnAccount(let a) = $0 { a } else { nil } },
    WireForm(Self.makeRecoveryCodes) { if case .makeRecoveryCodes(let a) = $0 { a } else { nil } },
    WireForm(Self.recover) { if case .recover(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.resetPassword) { if case .resetPassword(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.resetPasswordAsOwner) { if case .resetPasswordAsOwner(let a) = $0 { a } else { nil } },
    WireForm(Self.twoStep) { if case .twoStep(let a) = $0 { a } else { nil } },
    WireForm(Self.beginTwoStep) { if case .beginTwoStep(let a) = $0 { a } else { nil } },
    WireForm(Self.confirmTwoStep) { if case .confirmTwoStep(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.endTwoStep) { if case .endTwoStep(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.twoStepPolicy) { if case .twoStepPolicy(let a) = $0 { a } else { nil } },
    WireForm(Self.setTwoStepPolicy) { if case .setTwoStepPolicy(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.sessions) { if case .sessions(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.revokeSession) { if case .revokeSession(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.endAllSessions) { if case .endAllSessions(let a) = $0 { a } else { nil } },
    WireForm(Self.earlierPayment) { if case .earlierPayment(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.pay) { if case .pay(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.receipts) { if case .receipts(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.events) { if case .events(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.accounts) { if case .accounts(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.account) { if case .account(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.setDisabled) { if case .setDisabled(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.unlock) { if case .unlock(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.setRole) { if case .setRole(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    WireForm(Self.deleteAccount) { if case .deleteAccount(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.registration) { if case .registration(let a) = $0 { a } else { nil } },
    WireForm(Self.setRegistration) { if case .setRegistration(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.registerOther) { if case .registerOther(let a, let b) = $0 { (a, b) } else { nil } },
    WireForm(Self.noteView) { if case .noteView(let a, let b) = $0 { (a, b) } else { nil } },
  ]
}
