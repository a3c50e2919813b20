package import AuthCore

extension Username: WireRecord {
  package static let parts = WireParts(called: "user name", { try? Username($0) }, \.canonical)
}

extension Profile: WireRecord {
  package static let parts = WireParts(Profile.init(user:balance:createdAt:), \.user, \.balance, \.createdAt)
}

extension Throttle: WireUnion {
  package static let forms: [WireForm<Throttle>] = [
    WireForm(Throttle.wait) { if case .wait(let time) = $0 { time } else { nil } }, WireForm(.locked),
  ]
}

extension AccountSummary: WireRecord {
  package static let parts = WireParts(
    AccountSummary.init(user:isDisabled:createdAt:failedAttempts:throttle:lastLoginAt:hasSecondStep:),
    \.user, \.isDisabled, \.createdAt, \.failedAttempts, \.throttle, \.lastLoginAt, \.hasSecondStep)
}

extension AccountsQuery.Order: WireValue {}

extension AccountsQuery: WireRecord {
  package static let parts = WireParts(
    AccountsQuery.init(namePrefix:order:after:limit:), \.namePrefix, \.order, \.after, \.limit)
}

extension Registration: WireValue {}
extension TwoStepPolicy: WireValue {}

extension RecoveryCode: WireValue {
  static let name = "recovery code"

  package func write(to wire: WireWriter) { wire.data(canonical) }

  /// The form that was written is read as itself: what typing varies is decided already.
  package static func read(from wire: inout WireReader) throws(WireFault) -> RecoveryCode {
    RecoveryCode(typed: try wire.data())
  }
}

extension OneTimeCode: WireRecord {
  package static let parts = WireParts<OneTimeCode>(
    called: RecoveryCode.name,
    { user, code, time in code.isWellFormed ? OneTimeCode(user: user, code: code, validFor: time) : nil },
    \.user, \.code, \.validFor)
}

extension TwoStepState: WireRecord {
  package static let parts = WireParts(
    TwoStepState.init(since:isPending:recoveryCodes:isRequired:), \.since, \.isPending, \.recoveryCodes, \.isRequired)
}

extension TwoStepSecret: WireRecord {
  package static let parts = WireParts<TwoStepSecret>(
    { (secret: Secret, name) in TwoStepSecret(bytes: secret.bytes, username: name) }, \.secret, \.username)

  private var secret: Secret { Secret(bytes: bytes) }
}

// MARK: Groups and proofs

extension GroupName: WireRecord {
  package static let parts = WireParts(called: "group name", { try? GroupName($0) }, \.canonical)
}

extension GroupPage: WireRecord {
  package static let parts = WireParts(GroupPage.init(after:limit:), \.after, \.limit)
}

extension ToolProof: WireValue {
  package func write(to wire: WireWriter) { wire.data(canonical) }
  package static func read(from wire: inout WireReader) throws(WireFault) -> ToolProof {
    ToolProof(typed: try wire.data())
  }
}

extension ProvenUser: WireRecord {
  package static let parts = WireParts(ProvenUser.init(user:groups:), \.user, \.groups)
}

// MARK: Payments and events

extension Amount: WireRecord {
  package static let parts = WireParts(called: "amount of money", { try? Amount(minorUnits: $0) }, \.minorUnits)
}

extension IdempotencyKey: WireRecord {
  package static let parts = WireParts(called: "idempotency key", { try? IdempotencyKey($0) }, \.description)
}

extension PaymentOrder: WireRecord {
  package static let parts = WireParts(PaymentOrder.init(amount:payee:key:), \.amount, \.payee, \.key)
}

extension Receipt: WireRecord {
  package static let parts = WireParts(
    Receipt.init(id:payer:payee:amount:madeAt:key:isRepetition:),
    \.id, \.payer, \.payee, \.amount, \.madeAt, \.key, \.isRepetition)
}

extension TimeSpan: WireRecord {
  package static let parts = WireParts(TimeSpan.init(since:until:), \.since, \.until)
}

extension Page: WireRecord {
  package static let parts = WireParts(Page.init(within:matching:before:limit:), \.times, \.text, \.before, \.limit)
}

extension EventScope: WireUnion {
  package static let forms: [WireForm<EventScope>] = [WireForm(EventScope.own), WireForm(.everyone)]
}

extension Event: WireRecord {
  package static let parts = WireParts(
    Event.init(id:at:name:account:actor:session:detail:),
    \.id, \.at, \.name, \.account, \.actor, \.session, \.detail)
}

extension SearchStop: WireRecord {
  package static let parts = WireParts(SearchStop.init(before:at:), \.before, \.at)
}

extension Found: WireValue, WireRecord where Row: WireValue {
  package static var parts: WireParts<Found> { WireParts(Found.init(_:stop:), \.rows, \.stop) }
}
