import AuthBackend
import AuthCore

/// The number of each answer; one that a release had is never given again.
enum AnswerTag: UInt8, CaseIterable {
  case done = 1, grant, found, user, profile, recoveryCodes, oneTimeCode, twoStep, twoStepSecret, twoStepPolicy
  case sessions, count, receipt, earlier, receipts, events, account, accounts, registration
}

extension WireWriter {
  func answer(_ answer: BackendAnswer) {
    switch answer {
    case .done: tag(.done)
    case .grant(let value): tag(.grant).grant(value)
    case .found(let value): tag(.found).optional(value, grant)
    case .user(let value): tag(.user).user(value)
    case .profile(let value): tag(.profile).profile(value)
    case .recoveryCodes(let values): tag(.recoveryCodes).list(values, recoveryCode)
    case .oneTimeCode(let value): tag(.oneTimeCode).oneTimeCode(value)
    case .twoStep(let value): tag(.twoStep).twoStep(value)
    case .twoStepSecret(let value): tag(.twoStepSecret).twoStepSecret(value)
    case .twoStepPolicy(let value): tag(.twoStepPolicy).word(value)
    case .sessions(let values): tag(.sessions).list(values, session)
    case .count(let value): tag(.count).number(value)
    case .receipt(let value): tag(.receipt).receipt(value)
    case .earlier(let value): tag(.earlier).optional(value, receipt)
    case .receipts(let values): tag(.receipts).list(values, receipt)
    case .events(let values): tag(.events).list(values, event)
    case .account(let value): tag(.account).account(value)
    case .accounts(let values): tag(.accounts).list(values, account)
    case .registration(let value): tag(.registration).word(value)
    }
  }

  @discardableResult
  private func tag(_ tag: AnswerTag) -> WireWriter { byte(tag.rawValue) }
}

extension WireReader {
  mutating func answer() throws(WireFault) -> BackendAnswer {
    switch try tag(AnswerTag.self) {
    case .done: .done
    case .grant: .grant(try grant())
    case .found: .found(try flag() ? try grant() : nil)
    case .user: .user(try user())
    case .profile: .profile(try profile())
    case .recoveryCodes: .recoveryCodes(try list { (r) throws(WireFault) in try r.drawnCode() })
    case .oneTimeCode: .oneTimeCode(try oneTimeCode())
    case .twoStep: .twoStep(try twoStep())
    case .twoStepSecret: .twoStepSecret(try twoStepSecret())
    case .twoStepPolicy: .twoStepPolicy(try word())
    case .sessions: .sessions(try list { (r) throws(WireFault) in try r.session() })
    case .count: .count(try number())
    case .receipt: .receipt(try receipt())
    case .earlier: .earlier(try flag() ? try receipt() : nil)
    case .receipts: .receipts(try list { (r) throws(WireFault) in try r.receipt() })
    case .events: .events(try list { (r) throws(WireFault) in try r.event() })
    case .account: .account(try account())
    case .accounts: .accounts(try list { (r) throws(WireFault) in try r.account() })
    case .registration: .registration(try word())
    }
  }
}
