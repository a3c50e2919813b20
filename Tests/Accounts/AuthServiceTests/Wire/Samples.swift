import AuthAccounts
import AuthAccountsTesting
import AuthCore
import Services

@testable import AuthService

/// A value of each kind that crosses the socket, with nothing left at a default.
///
/// A test counts the samples of what has forms.
enum Samples {
  static let secret = "correct horse battery staple"
  static let password = Secret(secret)
  static let token = SessionToken(bytes: (100..<132).map { UInt8($0) })
  static let newToken = SessionToken(bytes: (200..<232).map { UInt8($0) })
  static let code = RecoveryCode(typed: Array("abcde-fghjk-mnpqr-stvwx-yz012".utf8))
  static let instant = BootInstant(boot: BootID(high: 1, low: .max), uptime: .nanoseconds(1_234_567_890_123))
  static let limits = SessionLimits(idle: .at(instant), absolute: .never, fresh: .unknown)
  static let user = User(id: UserID(rawValue: "u7"), username: "alice", displayName: "Alice Ä", role: .administrator)
  static let grant = Grant(id: SessionID(rawValue: "s1"), user: user, token: token, limits: limits)
  static let request = LimitRequest(idle: .seconds(60), absolute: .milliseconds(1500))
  static let origin = SessionOrigin(terminal: "pts/3", program: "auth-cli", host: "192.0.2.1")
  static let new = NewSession(token: newToken, label: "work", origin: origin)
  static let receipt = Receipt(
    id: 9, payer: "alice", payee: "bob", amount: Amount(unchecked: 1250), madeAt: WallTime(microseconds: -5), key: "k1",
    isRepetition: true)
  static let page = Page(
    within: TimeSpan(since: WallTime(microseconds: 1), until: WallTime(microseconds: 2)), matching: "bob Ä", before: 77,
    limit: 20)
  static let account = AccountSummary(
    user: user, isDisabled: true, createdAt: WallTime(microseconds: 3), failedAttempts: 5,
    throttle: .wait(.milliseconds(1_200)), lastLoginAt: WallTime(microseconds: 5), hasSecondStep: true)
  static let event = Event(
    id: 4, at: WallTime(microseconds: 6), name: "authn_login_success", account: "alice", actor: "bob",
    session: SessionID(rawValue: "s1"), detail: "why")
  static let proof = ToolProof(typed: Array(String(repeating: "5a", count: 32).utf8))
  static let groups = ["ops", "release"].compactMap { try? GroupName($0) }
  static let challenge = Challenge(token: newToken, question: .code(digits: 6), triesLeft: 3, deadline: .at(instant))

  /// The same values as inputs of operations.
  private struct Source: SampleSource {
    let username: Username
    var token: SessionToken { Samples.token }
    var newToken: SessionToken { Samples.newToken }
    var new: NewSession { Samples.new }
    var session: SessionID { SessionID(rawValue: "s2") }
    var limits: LimitRequest { request }
    var credentials: Credentials { .password(username: name, password: password) }
    var password: Secret { Samples.password }
    var newPassword: Secret { Secret("new secret") }
    var firstPassword: Secret { password }
    var answer: Secret { Secret("123456") }
    var code: Secret { password }
    var recovery: (name: String, code: RecoveryCode) { (name, Samples.code) }
    var name: String { "alice" }
    var otherName: String { "carol" }
    var displayName: String { "Alice" }
    var order: PaymentOrder {
      get throws { PaymentOrder(amount: try Amount("12.50"), payee: username, key: try IdempotencyKey("k1")) }
    }
    var page: Page { Samples.page }
    var sessionsPage: SessionsPage {
      SessionsPage(after: .init(createdAt: WallTime(microseconds: 3), id: SessionID(rawValue: "s3")), limit: 7)
    }
    var accountsQuery: AccountsQuery {
      AccountsQuery(namePrefix: "a", order: .lastLogin, after: "alice", limit: 30)
    }
    var groupPage: GroupPage { GroupPage(after: "ops", limit: 8) }
    var memberPage: GroupPage { GroupPage(after: "bob", limit: 9) }
    var proof: ToolProof { Samples.proof }
  }

  static func request(_ sample: Sample) throws -> Request {
    var source: any SampleSource = Source(username: try Username("bob"))
    return try sample.request(&source)
  }

  /// The output of an operation of each kind.
  static func output(_ kind: ResponseKind) -> any Sendable {
    switch kind {
    case .done: ()
    case .grant, .found: grant
    case .user: user
    case .profile: Profile(user: user, balance: -3, createdAt: WallTime(microseconds: 8))
    case .recoveryCodes: [code, code]
    case .oneTimeCode: OneTimeCode(user: user, code: code, validFor: .seconds(9))
    case .twoStep: TwoStepState(since: WallTime(microseconds: 9), isPending: true, recoveryCodes: 4, isRequired: true)
    case .twoStepSecret: TwoStepSecret(bytes: [1, 2, 3], username: "alice")
    case .twoStepPolicy: TwoStepPolicy.required
    case .sessions:
      [
        SessionSummary(
          id: SessionID(rawValue: "s1"), isCurrent: true, label: "work", origin: origin,
          createdAt: WallTime(microseconds: 1), activeAt: WallTime(microseconds: 2), limits: limits)
      ]
    case .count: 12
    case .receipt, .earlier: receipt
    case .receipts: Found([receipt])
    case .events: Found([event], stop: SearchStop(before: 3, at: WallTime(microseconds: 4)))
    case .account: account
    case .accounts: [account, account]
    case .registration: Registration.closed
    case .groups: groups
    case .proof: proof
    case .provenUser: ProvenUser(user: user, groups: groups)
    }
  }

  /// What the outputs above leave out.
  private static let otherOutputs: [(ResponseKind, any Sendable)] = [
    (.found, Grant?.none), (.earlier, Receipt?.none),
    (
      .events,
      Found([
        Event(id: 1, at: WallTime(microseconds: 0), name: "", account: nil, actor: nil, session: nil, detail: nil),
        Event(
          id: 2, at: WallTime(microseconds: 0), name: "x", account: nil, actor: nil, session: SessionID(rawValue: "ab"),
          detail: nil
        ),
      ])
    ),
  ]

  /// The first operation whose answers are of a kind.
  static func operation(_ kind: ResponseKind) -> any AnyOperation {
    let operations = Operations.all.values.filter { $0.kind == kind }
    guard let first = operations.min(by: { $0.number.rawValue < $1.number.rawValue }) else {
      preconditionFailure("\(kind)")
    }
    return first
  }

  /// The answer of a service with an output of a kind.
  static func response(_ kind: ResponseKind, _ output: (any Sendable)? = nil) -> WireBody {
    guard let body = operation(kind).responseBody(output ?? self.output(kind)) else {
      preconditionFailure("not an output: \(kind)")
    }
    return body
  }

  static let errors: [BackendError] = [
    .invalid(.passwordTooShort, "3 characters"), .refused(.idempotencyKeyReused, "order 7", "12.50", "bob"),
    .credentialsNotAccepted, .challenged(challenge), .session(.ended(.expired(.absolute))), .notFresh, .notPermitted,
    .throttled(.wait(.seconds(2))), .unavailable(.databaseBusy, "the database", "try later"),
  ]

  /// Every case that the errors above leave out.
  private static var otherErrors: [BackendError] {
    let questions: [Challenge.Question] = [.recoveryCode, .other("What is your favourite colour?")]
    return [.throttled(.locked), .session(.superseded)]
      + EndReason.allCases.map { .session(.ended($0)) }
      + Unavailability.Cause.allCases.map { BackendError(Unavailability($0, "What.", hint: "Hint.", code: "code")) }
      + questions.map { .challenged(Challenge(token: token, question: $0, triesLeft: 1, deadline: .never)) }
  }

  static func clientFrames() throws -> [ClientFrame] {
    // ``Operations/events`` and ``Operations/allEvents`` are one request with different inputs.
    try Sample.all.filter { $0.operation.name != Operations.events.name }
      .map { .request(0x0102_0304, try request($0).body(.plain)) }
      + [.hello, .subscribe(5, token), .named("carol")]
  }

  static var serverFrames: [ServerFrame] {
    [instant, nil].map { .hello(ServiceHello(database: "0011", now: $0, policy: .standard)) }
      + ResponseKind.allCases.map { .response(6, now: instant, response($0)) }
      + otherOutputs.map { .response(6, now: instant, response($0, $1)) } + [.response(7, now: nil, .done)]
      + (errors + otherErrors).map { .failure(9, now: instant, $0) } + [.changed]
  }
}
