import AuthBackend

extension BackendAnswer: WireUnion {
  static let forms: [WireForm<BackendAnswer>] = [
    WireForm(BackendAnswer.done) { $0.done != nil },
    WireForm(BackendAnswer.grant, \.grant),
    WireForm(BackendAnswer.found, \.found),
    WireForm(BackendAnswer.user, \.user),
    WireForm(BackendAnswer.profile, \.profile),
    WireForm(
      called: RecoveryCode.name, { $0.allSatisfy(\.isWellFormed) ? BackendAnswer.recoveryCodes($0) : nil },
      \.recoveryCodes),
    WireForm(BackendAnswer.oneTimeCode, \.oneTimeCode),
    WireForm(BackendAnswer.twoStep, \.twoStep),
    WireForm(BackendAnswer.twoStepSecret, \.twoStepSecret),
    WireForm(BackendAnswer.twoStepPolicy, \.twoStepPolicy),
    WireForm(BackendAnswer.sessions, \.sessions),
    WireForm(BackendAnswer.count, \.count),
    WireForm(BackendAnswer.receipt, \.receipt),
    WireForm(BackendAnswer.earlier, \.earlier),
    WireForm(BackendAnswer.receipts, \.receipts),
    WireForm(BackendAnswer.events, \.events),
    WireForm(BackendAnswer.account, \.account),
    WireForm(BackendAnswer.accounts, \.accounts),
    WireForm(BackendAnswer.registration, \.registration),
  ]
}
