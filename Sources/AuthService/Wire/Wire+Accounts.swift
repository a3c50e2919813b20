import AuthBackend
import AuthCore

enum ThrottleTag: UInt8, CaseIterable { case wait = 1, locked }

extension WireWriter {
  @discardableResult
  func username(_ value: Username) -> WireWriter { text(value.canonical) }

  @discardableResult
  func profile(_ value: Profile) -> WireWriter { user(value.user).number(value.balance).wallTime(value.createdAt) }

  @discardableResult
  func throttle(_ value: Throttle) -> WireWriter {
    switch value {
    case .wait(let duration): tag(ThrottleTag.wait).duration(duration)
    case .locked: tag(ThrottleTag.locked)
    }
  }

  @discardableResult
  func account(_ value: AccountSummary) -> WireWriter {
    user(value.user).flag(value.isDisabled).wallTime(value.createdAt).number(value.failedAttempts)
      .optional(value.throttle, throttle).optional(value.lastLoginAt, wallTime)
      .flag(value.hasSecondStep)
  }

  @discardableResult
  func accountsQuery(_ value: AccountsQuery) -> WireWriter {
    text(value.namePrefix).word(value.order).optional(value.after, text).number(value.limit)
  }

  @discardableResult
  func recoveryCode(_ value: RecoveryCode) -> WireWriter { data(value.canonical) }

  @discardableResult
  func oneTimeCode(_ value: OneTimeCode) -> WireWriter {
    user(value.user).recoveryCode(value.code).duration(value.validFor)
  }

  @discardableResult
  func twoStep(_ value: TwoStepState) -> WireWriter {
    optional(value.since, wallTime).flag(value.isPending).number(value.recoveryCodes).flag(value.isRequired)
  }

  @discardableResult
  func twoStepSecret(_ value: TwoStepSecret) -> WireWriter { data(value.bytes).text(value.username) }
}

extension WireReader {
  mutating func username() throws(WireFault) -> Username {
    guard let name = try? Username(try text()) else { throw .invalid("user name") }
    return name
  }

  mutating func profile() throws(WireFault) -> Profile {
    Profile(user: try user(), balance: try number(), createdAt: try wallTime())
  }

  mutating func throttle() throws(WireFault) -> Throttle {
    switch try tag(ThrottleTag.self) {
    case .wait: .wait(try duration())
    case .locked: .locked
    }
  }

  mutating func account() throws(WireFault) -> AccountSummary {
    AccountSummary(
      user: try user(), isDisabled: try flag(), createdAt: try wallTime(), failedAttempts: try number(),
      throttle: try flag() ? try throttle() : nil, lastLoginAt: try flag() ? try wallTime() : nil,
      hasSecondStep: try flag())
  }

  mutating func accountsQuery() throws(WireFault) -> AccountsQuery {
    AccountsQuery(namePrefix: try text(), order: try word(), after: try optionalText(), limit: try number())
  }

  /// The form that was written is read as itself: what typing varies is decided already.
  mutating func recoveryCode() throws(WireFault) -> RecoveryCode { RecoveryCode(typed: try data()) }

  /// A code that the service drew, and that is shown as it is.
  mutating func drawnCode() throws(WireFault) -> RecoveryCode {
    let code = try recoveryCode()
    guard code.isWellFormed else { throw .invalid("recovery code") }
    return code
  }

  mutating func oneTimeCode() throws(WireFault) -> OneTimeCode {
    OneTimeCode(user: try user(), code: try drawnCode(), validFor: try duration())
  }

  mutating func twoStep() throws(WireFault) -> TwoStepState {
    TwoStepState(
      since: try flag() ? try wallTime() : nil, isPending: try flag(), recoveryCodes: try number(),
      isRequired: try flag())
  }

  mutating func twoStepSecret() throws(WireFault) -> TwoStepSecret {
    TwoStepSecret(bytes: try data(), username: try text())
  }
}

// MARK: Payments and events

enum EventSessionTag: UInt8, CaseIterable { case named = 1, hashed }
enum EventScopeTag: UInt8, CaseIterable { case own = 1, everyone }

extension WireWriter {
  @discardableResult
  func order(_ value: PaymentOrder) -> WireWriter {
    number(value.amount.minorUnits).username(value.payee).optional(value.key?.description, text)
  }

  @discardableResult
  func receipt(_ value: Receipt) -> WireWriter {
    number(value.id).optional(value.payer, text).text(value.payee).number(value.amount.minorUnits)
      .wallTime(value.madeAt).optional(value.key, text).flag(value.isRepetition)
  }

  @discardableResult
  func page(_ value: Page) -> WireWriter {
    optional(value.times.since, wallTime).optional(value.times.until, wallTime).text(value.text)
      .optional(value.before) { number($0) }.number(value.limit)
  }

  @discardableResult
  func scope(_ value: EventScope) -> WireWriter {
    switch value {
    case .own: tag(EventScopeTag.own)
    case .everyone: tag(EventScopeTag.everyone)
    }
  }

  @discardableResult
  func eventSession(_ value: EventSession) -> WireWriter {
    switch value {
    case .named(let id): tag(EventSessionTag.named).text(id.rawValue)
    case .hashed(let hash): tag(EventSessionTag.hashed).text(hash)
    }
  }

  @discardableResult
  func event(_ value: Event) -> WireWriter {
    number(value.id).wallTime(value.at).text(value.name).optional(value.account, text).optional(value.actor, text)
      .optional(value.session, eventSession).optional(value.detail, text)
  }
}

extension WireReader {
  mutating func amount() throws(WireFault) -> Amount {
    guard let amount = try? Amount(minorUnits: try number()) else { throw .invalid("amount of money") }
    return amount
  }

  mutating func order() throws(WireFault) -> PaymentOrder {
    PaymentOrder(amount: try amount(), payee: try username(), key: try key())
  }

  mutating func key() throws(WireFault) -> IdempotencyKey? {
    guard let text = try optionalText() else { return nil }
    guard let key = try? IdempotencyKey(text) else { throw .invalid("idempotency key") }
    return key
  }

  mutating func receipt() throws(WireFault) -> Receipt {
    Receipt(
      id: try number(), payer: try optionalText(), payee: try text(), amount: try amount(), madeAt: try wallTime(),
      key: try optionalText(), isRepetition: try flag())
  }

  mutating func page() throws(WireFault) -> Page {
    let times = TimeSpan(since: try flag() ? try wallTime() : nil, until: try flag() ? try wallTime() : nil)
    return Page(
      within: times, matching: try text(), before: try flag() ? try number() : nil, limit: try number())
  }

  mutating func scope() throws(WireFault) -> EventScope {
    switch try tag(EventScopeTag.self) {
    case .own: .own
    case .everyone: .everyone
    }
  }

  mutating func eventSession() throws(WireFault) -> EventSession {
    switch try tag(EventSessionTag.self) {
    case .named: .named(try sessionID())
    case .hashed: .hashed(try text())
    }
  }

  mutating func event() throws(WireFault) -> Event {
    Event(
      id: try number(), at: try wallTime(), name: try text(), account: try optionalText(), actor: try optionalText(),
      session: try flag() ? try eventSession() : nil, detail: try optionalText())
  }
}
