import AuthBackend
import AuthCore

extension Username: WireRecord {
  static let parts = WireParts<Username>(
    { (text) throws(WireFault) in
      guard let name = try? Username(text) else { throw .invalid("user name") }
      return name
    }, \.canonical)
}

extension Profile: WireRecord {
  static let parts = WireParts(Profile.init(user:balance:createdAt:), \.user, \.balance, \.createdAt)
}

enum ThrottleTag: UInt8, WireTag { case wait = 1, locked }

extension Throttle: WireValue {
  func write(to wire: WireWriter) {
    switch self {
    case .wait(let duration): wire.put(ThrottleTag.wait, duration)
    case .locked: wire.put(ThrottleTag.locked)
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> Throttle {
    switch try wire.take(ThrottleTag.self) {
    case .wait: .wait(try wire.take())
    case .locked: .locked
    }
  }
}

extension AccountSummary: WireRecord {
  static let parts = WireParts(
    AccountSummary.init(user:isDisabled:createdAt:failedAttempts:throttle:lastLoginAt:hasSecondStep:),
    \.user, \.isDisabled, \.createdAt, \.failedAttempts, \.throttle, \.lastLoginAt, \.hasSecondStep)
}

extension AccountsQuery.Order: WireValue {}

extension AccountsQuery: WireRecord {
  static let parts = WireParts(
    AccountsQuery.init(namePrefix:order:after:limit:), \.namePrefix, \.order, \.after, \.limit)
}

extension Registration: WireValue {}
extension TwoStepPolicy: WireValue {}

extension RecoveryCode: WireValue {
  func write(to wire: WireWriter) { wire.data(canonical) }

  /// The form that was written is read as itself: what typing varies is decided already.
  static func read(from wire: inout WireReader) throws(WireFault) -> RecoveryCode {
    RecoveryCode(typed: try wire.data())
  }

  /// A code that the service drew, and that is shown as it is.
  func drawn() throws(WireFault) -> RecoveryCode {
    guard isWellFormed else { throw .invalid("recovery code") }
    return self
  }
}

extension OneTimeCode: WireRecord {
  static let parts = WireParts<OneTimeCode>(
    { (user, code: RecoveryCode, time) throws(WireFault) in
      OneTimeCode(user: user, code: try code.drawn(), validFor: time)
    }, \.user, \.code, \.validFor)
}

extension TwoStepState: WireRecord {
  static let parts = WireParts(
    TwoStepState.init(since:isPending:recoveryCodes:isRequired:), \.since, \.isPending, \.recoveryCodes, \.isRequired)
}

extension TwoStepSecret: WireRecord {
  static let parts = WireParts<TwoStepSecret>(
    { (secret: Secret, name) in TwoStepSecret(bytes: secret.bytes, username: name) }, \.secret, \.username)

  private var secret: Secret { Secret(bytes: bytes) }
}

// MARK: Payments and events

extension Amount: WireRecord {
  static let parts = WireParts<Amount>(
    { (units) throws(WireFault) in
      guard let amount = try? Amount(minorUnits: units) else { throw .invalid("amount of money") }
      return amount
    }, \.minorUnits)
}

extension IdempotencyKey: WireRecord {
  static let parts = WireParts<IdempotencyKey>(
    { (text) throws(WireFault) in
      guard let key = try? IdempotencyKey(text) else { throw .invalid("idempotency key") }
      return key
    }, \.description)
}

extension PaymentOrder: WireRecord {
  static let parts = WireParts(PaymentOrder.init(amount:payee:key:), \.amount, \.payee, \.key)
}

extension Receipt: WireRecord {
  static let parts = WireParts(
    Receipt.init(id:payer:payee:amount:madeAt:key:isRepetition:),
    \.id, \.payer, \.payee, \.amount, \.madeAt, \.key, \.isRepetition)
}

extension TimeSpan: WireRecord {
  static let parts = WireParts(TimeSpan.init(since:until:), \.since, \.until)
}

extension Page: WireRecord {
  static let parts = WireParts(Page.init(within:matching:before:limit:), \.times, \.text, \.before, \.limit)
}

extension EventScope: WireChoice {
  static let numbered: [EventScope] = [.own, .everyone]
}

enum EventSessionTag: UInt8, WireTag { case named = 1, hashed }

extension EventSession: WireValue {
  func write(to wire: WireWriter) {
    switch self {
    case .named(let id): wire.put(EventSessionTag.named, id)
    case .hashed(let hash): wire.put(EventSessionTag.hashed, hash)
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> EventSession {
    switch try wire.take(EventSessionTag.self) {
    case .named: .named(try wire.take())
    case .hashed: .hashed(try wire.take())
    }
  }
}

extension Event: WireRecord {
  static let parts = WireParts(
    Event.init(id:at:name:account:actor:session:detail:),
    \.id, \.at, \.name, \.account, \.actor, \.session, \.detail)
}
