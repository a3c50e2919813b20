import AuthBackend
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
  static let challenge = Challenge(token: newToken, question: .code(digits: 6), triesLeft: 3, deadline: .at(instant))

  static func bob() throws -> Username { try Username("bob") }
  static func order() throws -> PaymentOrder {
    PaymentOrder(amount: try Amount("12.50"), payee: try bob(), key: try IdempotencyKey("k1"))
  }

  static func request(_ tag: RequestTag) throws -> BackendRequest {
    switch tag {
    case .logIn: .logIn(Credentials.password(username: "alice", password: password), request, new)
    case .reauthenticate: .reauthenticate(token, password, request, newToken: newToken)
    case .answer: .answer(Secret("123456"), challenge: token, new)
    case .resume: .resume(token)
    case .lookUp: .lookUp(token)
    case .renew: .renew(token)
    case .confirm: .confirm(token)
    case .revoke: .revoke(token, .expired(.idle))
    case .checkUsername: .checkUsername("alice")
    case .checkPassword: .checkPassword(password, username: "alice")
    case .checkForLogins: .checkForLogins
    case .register: .register(username: "alice", password, displayName: "Alice")
    case .profile: .profile(token)
    case .rename: .rename("Alice", token)
    case .changePassword: .changePassword(from: password, to: Secret("new secret"), token, newToken: newToken)
    case .deleteOwnAccount: .deleteOwnAccount(token)
    case .makeRecoveryCodes: .makeRecoveryCodes(token)
    case .recover: .recover(username: "alice", code, password)
    case .resetPassword: .resetPassword(try bob(), token)
    case .resetPasswordAsOwner: .resetPasswordAsOwner(try bob())
    case .twoStep: .twoStep(token)
    case .beginTwoStep: .beginTwoStep(token)
    case .confirmTwoStep: .confirmTwoStep(password, token)
    case .endTwoStep: .endTwoStep(password, token)
    case .twoStepPolicy: .twoStepPolicy(token)
    case .setTwoStepPolicy: .setTwoStepPolicy(.required, token)
    case .sessions:
      .sessions(
        SessionsPage(after: .init(createdAt: WallTime(microseconds: 3), id: SessionID(rawValue: "s3")), limit: 7), token
      )
    case .revokeSession: .revokeSession(SessionID(rawValue: "s2"), token)
    case .endAllSessions: .endAllSessions(token)
    case .earlierPayment: .earlierPayment(try order(), token)
    case .pay: .pay(try order(), token)
    case .receipts: .receipts(page, token)
    case .events: .events(.everyone, page, token)
    case .accounts: .accounts(AccountsQuery(namePrefix: "a", order: .lastLogin, after: "alice", limit: 30), token)
    case .account: .account(try bob(), token)
    case .setDisabled: .setDisabled(true, try bob(), token)
    case .unlock: .unlock(try bob(), token)
    case .setRole: .setRole(.administrator, try bob(), token)
    case .deleteAccount: .deleteAccount(try bob(), token)
    case .registration: .registration(token)
    case .setRegistration: .setRegistration(.closed, token)
    case .registerOther: .registerOther(username: "carol", token)
    case .noteView: .noteView("accounts", token)
    }
  }

  static let answers: [BackendAnswer] = [
    .done, .grant(grant), .found(grant), .user(user),
    .profile(Profile(user: user, balance: -3, createdAt: WallTime(microseconds: 8))),
    .recoveryCodes([code, code]), .oneTimeCode(OneTimeCode(user: user, code: code, validFor: .seconds(9))),
    .twoStep(TwoStepState(since: WallTime(microseconds: 9), isPending: true, recoveryCodes: 4, isRequired: true)),
    .twoStepSecret(TwoStepSecret(bytes: [1, 2, 3], username: "alice")), .twoStepPolicy(.required),
    .sessions([
      SessionSummary(
        id: SessionID(rawValue: "s1"), isCurrent: true, label: "work", origin: origin,
        createdAt: WallTime(microseconds: 1), activeAt: WallTime(microseconds: 2), limits: limits)
    ]),
    .count(12), .receipt(receipt), .earlier(receipt), .receipts(Found([receipt])),
    .events(Found([event], stop: SearchStop(before: 3, at: WallTime(microseconds: 4)))), .account(account),
    .accounts([account, account]), .registration(.closed),
  ]

  /// What the answers above leave out.
  private static let otherAnswers: [BackendAnswer] = [
    .found(nil), .earlier(nil),
    .events(
      Found([
        Event(id: 1, at: WallTime(microseconds: 0), name: "", account: nil, actor: nil, session: nil, detail: nil),
        Event(
          id: 2, at: WallTime(microseconds: 0), name: "x", account: nil, actor: nil, session: SessionID(rawValue: "ab"),
          detail: nil
        ),
      ])),
  ]

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
    try RequestTag.allCases.map { .request(0x0102_0304, try request($0)) }
      + [.hello, .subscribe(5, token), .named("carol")]
  }

  static var serverFrames: [ServerFrame] {
    [instant, nil].map { .hello(ServiceHello(database: "0011", now: $0, policy: .standard)) }
      + (answers + otherAnswers).map { .answer(6, now: instant, $0) } + [.answer(7, now: nil, .done)]
      + (errors + otherErrors).map { .failure(9, now: instant, $0) } + [.lookAgain]
  }
}
