import AuthBackend
import AuthCore

/// The number of each answer; one that a release had is never given again.
enum AnswerTag: UInt8, WireTag {
  case done = 1, grant, found, user, profile, recoveryCodes, oneTimeCode, twoStep, twoStepSecret, twoStepPolicy
  case sessions, count, receipt, earlier, receipts, events, account, accounts, registration
}

extension BackendAnswer: WireValue {
  func write(to wire: WireWriter) {
    switch self {
    case .done: wire.put(AnswerTag.done)
    case .grant(let value): wire.put(AnswerTag.grant, value)
    case .found(let value): wire.put(AnswerTag.found, value)
    case .user(let value): wire.put(AnswerTag.user, value)
    case .profile(let value): wire.put(AnswerTag.profile, value)
    case .recoveryCodes(let value): wire.put(AnswerTag.recoveryCodes, value)
    case .oneTimeCode(let value): wire.put(AnswerTag.oneTimeCode, value)
    case .twoStep(let value): wire.put(AnswerTag.twoStep, value)
    case .twoStepSecret(let value): wire.put(AnswerTag.twoStepSecret, value)
    case .twoStepPolicy(let value): wire.put(AnswerTag.twoStepPolicy, value)
    case .sessions(let value): wire.put(AnswerTag.sessions, value)
    case .count(let value): wire.put(AnswerTag.count, value)
    case .receipt(let value): wire.put(AnswerTag.receipt, value)
    case .earlier(let value): wire.put(AnswerTag.earlier, value)
    case .receipts(let value): wire.put(AnswerTag.receipts, value)
    case .events(let value): wire.put(AnswerTag.events, value)
    case .account(let value): wire.put(AnswerTag.account, value)
    case .accounts(let value): wire.put(AnswerTag.accounts, value)
    case .registration(let value): wire.put(AnswerTag.registration, value)
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> BackendAnswer {
    switch try wire.take(AnswerTag.self) {
    case .done: .done
    case .grant: .grant(try wire.take())
    case .found: .found(try wire.take())
    case .user: .user(try wire.take())
    case .profile: .profile(try wire.take())
    case .recoveryCodes:
      .recoveryCodes(try wire.take([RecoveryCode].self).map { (code) throws(WireFault) in try code.drawn() })
    case .oneTimeCode: .oneTimeCode(try wire.take())
    case .twoStep: .twoStep(try wire.take())
    case .twoStepSecret: .twoStepSecret(try wire.take())
    case .twoStepPolicy: .twoStepPolicy(try wire.take())
    case .sessions: .sessions(try wire.take())
    case .count: .count(try wire.take())
    case .receipt: .receipt(try wire.take())
    case .earlier: .earlier(try wire.take())
    case .receipts: .receipts(try wire.take())
    case .events: .events(try wire.take())
    case .account: .account(try wire.take())
    case .accounts: .accounts(try wire.take())
    case .registration: .registration(try wire.take())
    }
  }
}
