import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import PostgresServers
import Programs
import Synchronization
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// The rules on SQLite and on PostgreSQL give the same answers to the same questions.
  @Suite struct DifferentialTests {
    /// `DIFFERENTIAL_SEED` and `DIFFERENTIAL_OPERATIONS` choose another history; `make
    /// test-backends` takes a long one from a random seed.
    @Test("a random history gets equal answers from both databases, clocks moved alike")
    func equalAnswers() throws {
      let environment = ProcessInfo.processInfo.environment
      let length = environment["DIFFERENTIAL_OPERATIONS"].flatMap { Int($0) }
      let seed =
        environment["DIFFERENTIAL_SEED"].flatMap { UInt64($0) }
        ?? (length == nil ? 142_943 : UInt64.random(in: 1...1_000_000))
      let count = length ?? (Effort.isComplete ? 300 : 100)
      let history = try History(seed: seed)
      for number in 0..<count {
        let step = try history.step()
        guard step.left == step.right else {
          Issue.record(
            """
            DIFFERENTIAL_SEED=\(seed), operation \(number): \(step.operation)
            embedded:   \(step.left)
            PostgreSQL: \(step.right)
            """)
          return
        }
      }
    }
  }
}

/// A random history on two backends at once, and what each answers, with names that both share in
/// the place of random ones.
private final class History {
  private var generator: SplitMix
  private let clock = StandingClock(1_800_000_000_000_000_000)
  private let directory: URL
  private let local: LocalAuthority
  private let remote: PostgresAuthority
  private let database: RulesDatabase

  /// The same session at both.
  private struct Pair {
    let left: SessionToken
    let right: SessionToken
    /// Whether a token was issued for it that was neither confirmed nor used.
    var isOpen = false
  }
  private var tokens: [Pair] = []
  private var sessionNames: [(left: SessionID, right: SessionID)] = []
  private var passwords: [String: String] = [:]
  private var names: [String] = []
  private var keys: [String] = []
  /// Codes of both, and for whom they were made.
  private var codes: [(name: String, left: RecoveryCode, right: RecoveryCode)] = []
  /// Secrets of both, by the name of the user.
  private var secrets: [String: (left: TwoStepSecret, right: TwoStepSecret)] = [:]

  struct Step {
    let operation: String
    let left: String
    let right: String
  }

  init(seed: UInt64) throws {
    generator = SplitMix(state: seed)
    directory = FileManager.default.temporaryDirectory.appending(path: "differential-\(UInt64.random(in: 0 ... .max))")
    let clock = clock
    local = LocalAuthority(
      directory: directory.path, label: "here", clock: clock, cost: .least,
      wallClock: { WallTime(microseconds: clock.nanoseconds / 1000) })
    database = try RulesDatabase(clockStands: true)
    remote = database.authority
    // A database that exists answers as an empty one does.
    for name in ["root", "alice", "bob"] {
      passwords[name] = "violet kettles under 4 wet stars"
      names.append(name)
      _ = try local.register(username: name, password: Secret(passwords[name, default: ""]))
      freeze()
      _ = try remote.register(username: name, password: Secret(passwords[name, default: ""]))
      clock.advance(by: 1000)
    }
    freeze()
    try beginInTwoSteps("bob")
  }

  /// Gives a user recovery codes and a second step, which most histories would never make.
  private func beginInTwoSteps(_ name: String) throws {
    let credentials = Credentials.password(username: name, password: Secret(passwords[name, default: ""]))
    let (left, right) = (
      try local.logIn(credentials, limits: .standard), try remote.logIn(credentials, limits: .standard)
    )
    sessionNames.append((left.id, right.id))
    tokens.append(Pair(left: left.token, right: right.token))
    let made = (
      try local.rules.makeRecoveryCodes(token: left.token), try remote.rules.makeRecoveryCodes(token: right.token)
    )
    codes += zip(made.0, made.1).map { (name, $0, $1) }
    let secret = (
      left: try local.rules.beginTwoStep(token: left.token), right: try remote.rules.beginTwoStep(token: right.token)
    )
    secrets[name] = secret
    let time = WallTime(microseconds: clock.nanoseconds / 1000)
    try local.rules.confirmTwoStep(secret.left.code(at: time), token: left.token)
    try remote.rules.confirmTwoStep(secret.right.code(at: time), token: right.token)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// Sets the clock of the server to that of the embedded database.
  private func freeze() { database.setTime(clock.nanoseconds) }

  private func pick<Element>(_ choices: [Element]) -> Element { choices[Int(generator.next() % UInt64(choices.count))] }
  private func chance(_ percent: UInt64) -> Bool { generator.next() % 100 < percent }

  func step() throws -> Step {
    let pause: Int64 = pick([1_000, 1_000, 5_000_000, 1_000_000_000, 1_000_000_000, 40_000_000_000, 400_000_000_000])
    clock.advance(by: chance(1) ? 7_200_000_000_000 : pause)
    freeze()
    switch generator.next() % 100 {
    case 0..<3: return try register()
    case 3..<18: return try logIn()
    case 18..<24: return try reauthenticate()
    case 24..<26: return try changePassword()
    case 26..<29: return try recover()
    default: return try withSession()
    }
  }

  // MARK: Operations

  private func both<Result>(
    _ operation: String, _ left: () throws -> Result, _ right: () throws -> Result,
    _ text: (Result, Bool) -> String
  ) -> Step {
    Step(
      operation: operation, left: Self.outcome { text(try left(), true) },
      right: Self.outcome { text(try right(), false) })
  }

  /// The same operation of the rules in the session of each side; both answer the same.
  private func both<Result>(_ operation: String, _ pair: Pair, _ body: (Rules, SessionToken) throws -> Result) -> Step {
    both(operation, { try body(local.rules, pair.left) }, { try body(remote.rules, pair.right) }) { result, _ in
      "\(result)"
    }
  }

  private static func outcome(_ body: () throws -> String) -> String {
    do {
      return try body()
    } catch let failure as BackendError {
      // A challenge has a random token, and a deadline by another clock.
      if case .challenged(let challenge) = failure.kind {
        return "challenged, \(challenge.question), \(challenge.triesLeft) left, until \(Self.text(challenge.deadline))"
      }
      return "\(failure.kind): \(failure.description)"
    } catch {
      return "\(error)"
    }
  }

  private func register() throws -> Step {
    let name = chance(40) ? pick(names) : "user\(names.count)"
    let password = "violet kettles under 4 wet stars"
    let isNew = passwords[name] == nil
    let step = both(
      "register \(name)", { try self.local.register(username: name, password: Secret(password)) },
      { try self.remote.register(username: name, password: Secret(password)) }
    ) { user, _ in "\(user)" }
    // While registration is closed the name stays free.
    if isNew, step.left.hasPrefix("User") {
      passwords[name] = password
      names.append(name)
    }
    return step
  }

  private func logIn() throws -> Step {
    let name = chance(15) ? pick(["nobody", "no-one", "UPPER", "not a name", ""]) : pick(names)
    let isRight = chance(60)
    let password = isRight ? passwords[name] ?? "none of anybody at all" : "wrong password of somebody"
    let limits = pick([
      LimitRequest.standard, .standard, LimitRequest(idle: .seconds(120)), LimitRequest(absolute: .seconds(900)),
      LimitRequest(idle: .seconds(-5), absolute: .seconds(100_000)),
    ])
    let credentials = Credentials.password(username: name, password: Secret(password))
    return challenged(
      "login \(name) \(isRight)", as: name, { try self.local.logIn(credentials, limits: limits) },
      { try self.remote.logIn(credentials, limits: limits) })
  }

  private func granted(
    _ operation: String, _ left: () throws -> Grant, _ right: () throws -> Grant
  ) -> Step {
    var grants: (left: Grant?, right: Grant?) = (nil, nil)
    let leftText = Self.outcome {
      let grant = try left()
      grants.left = grant
      return ""
    }
    let rightText = Self.outcome {
      let grant = try right()
      grants.right = grant
      return ""
    }
    guard let leftGrant = grants.left, let rightGrant = grants.right else {
      return Step(
        operation: operation, left: grants.left.map { "\($0.user)" } ?? leftText,
        right: grants.right.map { "\($0.user)" } ?? rightText)
    }
    if !sessionNames.contains(where: { $0.left == leftGrant.id }) { sessionNames.append((leftGrant.id, rightGrant.id)) }
    tokens.append(Pair(left: leftGrant.token, right: rightGrant.token))
    if tokens.count > 40 { tokens.removeFirst() }
    return Step(operation: operation, left: text(leftGrant, true), right: text(rightGrant, false))
  }

  private func reauthenticate() throws -> Step {
    guard let pair = tokens.randomElement(using: &generator) else { return try logIn() }
    let name = Self.name(local, pair.left)
    let password = chance(70) ? passwords[name] ?? "none of anybody at all" : "wrong password of somebody"
    let step = challenged(
      "reauth \(name)", as: name,
      { try self.local.reauthenticate(pair.left, password: Secret(password), requesting: .standard) },
      { try self.remote.reauthenticate(pair.right, password: Secret(password), requesting: .standard) })
    // Used at once: of several that are open, which one shows its limits in a list is nobody's
    // promise.
    if let last = tokens.last, last.left != pair.left, step.left.hasPrefix("grant") {
      _ = try? local.rules.sessions(token: last.left)
      _ = try? remote.rules.sessions(token: last.right)
    }
    return step
  }

  /// Logs in or reauthenticates, and answers a challenge as often as it has tries.
  private func challenged(
    _ operation: String, as name: String, _ left: @escaping () throws -> Grant, _ right: @escaping () throws -> Grant
  ) -> Step {
    var open: (left: Challenge?, right: Challenge?) = (nil, nil)
    func asked(_ body: () throws -> Grant, _ challenge: inout Challenge?) throws -> Grant {
      challenge = nil
      do {
        return try body()
      } catch let failure as BackendError {
        if case .challenged(let next) = failure.kind { challenge = next }
        throw failure
      }
    }
    var step = granted(operation, { try asked(left, &open.left) }, { try asked(right, &open.right) })
    while step.left == step.right, let (first, second) = open.left.flatMap({ one in open.right.map { (one, $0) } }) {
      guard chance(90) else { return step }
      let answer = answer(name)
      let next = granted(
        "\(step.operation), \(answer.words)",
        { try asked({ try self.local.answer(answer.left, to: first) }, &open.left) },
        { try asked({ try self.remote.answer(answer.right, to: second) }, &open.right) })
      step = Step(operation: next.operation, left: next.left, right: next.right)
    }
    return step
  }

  /// An answer to a challenge: a code of a time step near this one, a recovery code, or nonsense.
  private func answer(_ name: String) -> (words: String, left: Secret, right: Secret) {
    let own = codes.filter { $0.name == name }
    if chance(25), !own.isEmpty {
      let code = pick(own)
      return ("a recovery code", Secret(code.left.text), Secret(code.right.text))
    }
    guard chance(80), let secret = secrets[name] else {
      let typed = pick(["no code", "000000", "123 456", "", "1234567"])
      return ("'\(typed)'", Secret(typed), Secret(typed))
    }
    let steps = pick([-60, -30, 0, 0, 0, 30, 60] as [Int64])
    let time = WallTime(microseconds: clock.nanoseconds / 1000 + steps * 1_000_000)
    return ("the code of \(steps) s", secret.left.code(at: time), secret.right.code(at: time))
  }

  /// The second step of a session's user, and who must have one.
  private func twoStep(_ pair: Pair) -> Step {
    let (local, remote) = (local, remote)
    let name = Self.name(local, pair.left)
    switch generator.next() % 8 {
    case 0, 1:
      return both("two-step of \(name)", pair) { try $0.twoStep(token: $1) }
    case 2, 3:
      var made: (left: TwoStepSecret?, right: TwoStepSecret?) = (nil, nil)
      let step = both(
        "two-step of \(name) begins", { try local.rules.beginTwoStep(token: pair.left) },
        { try remote.rules.beginTwoStep(token: pair.right) }
      ) { secret, isLeft in
        if isLeft { made.left = secret } else { made.right = secret }
        return "a secret of \(secret.bytes.count) bytes"
      }
      if let left = made.left, let right = made.right { secrets[name] = (left, right) }
      return step.left == step.right && chance(70) ? confirm(pair, name) : step
    case 4: return confirm(pair, name)
    case 5:
      let answer = answer(name)
      return both(
        "two-step of \(name) ends, \(answer.words)", { try local.rules.endTwoStep(answer.left, token: pair.left) },
        { try remote.rules.endTwoStep(answer.right, token: pair.right) }
      ) { _, _ in "done" }
    case 6:
      return both("two-step policy", pair) { try $0.twoStepPolicy(token: $1) }
    default:
      let policy: TwoStepPolicy = chance(20) ? .required : .optional
      return both("two-step \(policy)", pair) { try $0.setTwoStepPolicy(policy, token: $1) }
    }
  }

  private func confirm(_ pair: Pair, _ name: String) -> Step {
    let answer = answer(name)
    return both(
      "two-step of \(name) on, \(answer.words)",
      { try self.local.rules.confirmTwoStep(answer.left, token: pair.left) },
      { try self.remote.rules.confirmTwoStep(answer.right, token: pair.right) }
    ) { _, _ in "done" }
  }

  /// Whose session it is, as far as the embedded backend knows.
  private static func name(_ local: LocalAuthority, _ token: SessionToken) -> String {
    (try? local.lookUp(token))??.user.username ?? "bob"
  }

  private func changePassword() throws -> Step {
    guard let pair = tokens.randomElement(using: &generator) else { return try logIn() }
    let name = Self.name(local, pair.left)
    let present = chance(80) ? passwords[name] ?? "none of anybody at all" : "wrong password of somebody"
    let new = pick(["another password number \(generator.next() % 50)", "short", present])
    let step = granted(
      "password of \(name)",
      { try self.local.changePassword(from: Secret(present), to: Secret(new), token: pair.left) },
      { try self.remote.changePassword(from: Secret(present), to: Secret(new), token: pair.right) })
    if step.left.hasPrefix("grant") {
      passwords[name] = new
      if let last = tokens.last {
        _ = try? local.rules.sessions(token: last.left)
        _ = try? remote.rules.sessions(token: last.right)
      }
    }
    return step
  }

  private func recover() throws -> Step {
    let name = chance(10) ? pick(["nobody", "UPPER", "not a name"]) : pick(names)
    let known = codes.isEmpty || chance(20) ? nil : codes[Int(generator.next() % UInt64(codes.count))]
    let own = known.map { chance(80) ? $0.name : name } ?? name
    let wrong = RecoveryCode(typed: Array("wrong \(generator.next() % 3)".utf8))
    let new = pick(["short", "a recovered password \(generator.next())"])
    let step = both(
      "recover \(own) \(known.map { "with a code of \($0.name)" } ?? "with a wrong code")",
      { try self.local.recover(username: own, code: known?.left ?? wrong, password: Secret(new)) },
      { try self.remote.recover(username: own, code: known?.right ?? wrong, password: Secret(new)) }
    ) { user, _ in "\(user)" }
    if step.left.hasPrefix("User") { passwords[own] = new }
    return step
  }

  /// Compares all of an answer but the codes, which are random, and keeps these.
  private func issued(
    _ operation: String, _ left: () throws -> OneTimeCode, _ right: () throws -> OneTimeCode
  ) -> Step {
    var made: (left: OneTimeCode?, right: OneTimeCode?) = (nil, nil)
    let step = both(operation, left, right) { code, isLeft in
      if isLeft { made.left = code } else { made.right = code }
      return "\(code.user) \(code.validFor)"
    }
    if let left = made.left, let right = made.right { codes.append((left.user.username, left.code, right.code)) }
    return step
  }

  /// What was added for accounts: codes, roles, who may register, and deletion.
  private func administer(_ pair: Pair, _ name: Username) throws -> Step {
    let (local, remote) = (local, remote)
    switch generator.next() % 10 {
    case 0:
      var made: (left: [RecoveryCode], right: [RecoveryCode]) = ([], [])
      let user = Self.name(local, pair.left)
      let step = both(
        "recovery codes of \(user)", { try local.rules.makeRecoveryCodes(token: pair.left) },
        { try remote.rules.makeRecoveryCodes(token: pair.right) }
      ) { codes, isLeft in
        if isLeft { made.left = codes } else { made.right = codes }
        return "\(codes.count) codes"
      }
      codes += zip(made.left, made.right).prefix(3).map { (user, $0, $1) }
      return step
    case 1, 2:
      return issued(
        "reset of \(name)", { try local.rules.resetPassword(of: name, token: pair.left) },
        { try remote.rules.resetPassword(of: name, token: pair.right) })
    case 3:
      return issued(
        "reset of \(name) as the owner", { try local.resetPasswordAsOwner(of: name) },
        { try self.remote.resetPasswordAsOwner(of: name) })
    case 4:
      // Promoted more often than demoted, or soon only one could do anything.
      let role: Role = chance(60) ? .administrator : .member
      return both("role \(role) of \(name)", pair) { try $0.setRole(role, account: name, token: $1) }
    case 5:
      let setting: Registration = chance(30) ? .closed : .open
      return both("registration \(setting)", pair) { try $0.setRegistration(setting, token: $1) }
    case 6:
      return both("registration", pair) { try $0.registration(token: $1) }
    case 7:
      let other = chance(30) ? name.canonical : "User\(names.count)"
      let step = issued(
        "register \(other) for somebody", { try local.rules.registerOther(username: other, token: pair.left) },
        { try remote.rules.registerOther(username: other, token: pair.right) })
      if step.left.hasPrefix("User"), let made = codes.last { names.append(made.name) }
      return step
    case 8:
      let typed = chance(50) ? "user\(generator.next() % 40)" : name.canonical
      return both(
        "check of the name \(typed)", { try local.check(newUsername: typed) }, { try remote.check(newUsername: typed) }
      ) { _, _ in "free" }
    default:
      return try delete(pair, name)
    }
  }

  /// Deletes an account, its money paid away before as often as not.
  private func delete(_ pair: Pair, _ name: Username) throws -> Step {
    let (local, remote) = (local, remote)
    let payee = try Username(pick(names))
    // Both are asked: the use of a session that is over is an event.
    let balances =
      chance(60) ? (try? local.rules.profile(token: pair.left), try? remote.rules.profile(token: pair.right)) : nil
    if let balance = balances?.0?.balance, balance > 0, let amount = try? Amount(minorUnits: balance) {
      let order = PaymentOrder(amount: amount, payee: payee, key: nil)
      _ = try? local.rules.pay(order, token: pair.left)
      _ = try? remote.rules.pay(order, token: pair.right)
    }
    if chance(70) {
      return both("delete oneself", pair) { try $0.deleteAccount(token: $1) }
    }
    return both("delete \(name)", pair) { try $0.deleteAccount(name, token: $1) }
  }

  private func withSession() throws -> Step {
    guard !tokens.isEmpty else { return try logIn() }
    let pair = chance(5) ? Pair(left: Self.forged, right: Self.forged) : pick(tokens)
    let (local, remote) = (local, remote)
    let name = try Username(chance(10) ? "nobody" : pick(names))
    switch generator.next() % 27 {
    case 0:
      return both(
        "look up", { try local.lookUp(pair.left) }, { try remote.lookUp(pair.right) }
      ) { grant, isLeft in grant.map { self.text($0, isLeft) } ?? "nil" }
    case 1, 2:
      let isRenewal = chance(50)
      return both(
        isRenewal ? "renew" : "resume",
        { try Self.wait { isRenewal ? try await local.renew(pair.left) : try await local.resume(pair.left) } },
        { try Self.wait { isRenewal ? try await remote.renew(pair.right) : try await remote.resume(pair.right) } }
      ) { self.text($0, $1) }
    case 3:
      guard chance(40) else { fallthrough }
      let reason = pick(EndReason.allCases)
      return both(
        "revoke \(reason)", { try Self.wait { try await local.revoke(pair.left, reason: reason) } },
        { try Self.wait { try await remote.revoke(pair.right, reason: reason) } }
      ) { _, _ in "done" }
    case 4:
      return both("profile", pair) { try $0.profile(token: $1) }
    case 5:
      let shown = pick(["Somebody", "Ada Lovelace", " bad", "\u{1B}[31m"])
      return both("rename \(shown)", pair) { try $0.rename(to: shown, token: $1) }
    case 6:
      return both(
        "sessions", { try local.rules.sessions(token: pair.left) }, { try remote.rules.sessions(token: pair.right) }
      ) {
        sessions, isLeft in
        sessions.map {
          "\(self.name($0.id, isLeft)) \($0.isCurrent) \($0.label ?? "-") \($0.createdAt.microseconds) \($0.activeAt.microseconds) \(self.text($0.limits))"
        }.joined(separator: "; ")
      }
    case 7:
      let index = Int(generator.next() % UInt64(max(1, sessionNames.count)))
      let target = chance(50) ? (sessionNames.last ?? sessionNames[index]) : sessionNames[index]
      return both(
        "revoke session \(index)", { try local.rules.revokeSession(target.left, token: pair.left) },
        { try remote.rules.revokeSession(target.right, token: pair.right) }
      ) { _, _ in "done" }.renaming(target.left.rawValue, target.right.rawValue)
    case 8:
      guard chance(30) else { fallthrough }
      return both("end all", pair) { try $0.endAllSessions(token: $1) }
    case 9, 10, 11, 12:
      var key: IdempotencyKey?
      if chance(60) {
        if keys.isEmpty || chance(60) { keys.append("key \(keys.count)") }
        key = try IdempotencyKey(pick(keys))
      }
      let order = PaymentOrder(
        amount: try Amount(minorUnits: Int64(generator.next() % 3000) + 1), payee: name, key: key)
      if chance(20) {
        return both(
          "earlier \(order)", { try local.rules.earlierPayment(of: order, token: pair.left) },
          { try remote.rules.earlierPayment(of: order, token: pair.right) }
        ) { receipt, _ in "\(String(describing: receipt))" }
      }
      return both("pay \(order)", pair) { try $0.pay(order, token: $1) }
    case 13:
      let before = chance(50) ? nil : Int64(generator.next() % 200)
      let text = ["", "", "A", "-1", "12.5", "opening", "%"][Int(generator.next() % 7)]
      return both("receipts", pair) { try $0.receipts(matching: text, before: before, limit: 7, token: $1) }
    case 14, 15:
      let scope: EventScope = chance(50) ? .own : .everyone
      // No text that the random name of a session may contain: it differs between the databases.
      let text = ["", "", "AUTHN_", "created", "deleted account", "_", "admin"][Int(generator.next() % 7)]
      return both(
        "events \(scope)", { try local.rules.events(scope, matching: text, limit: 9, token: pair.left) },
        { try remote.rules.events(scope, matching: text, limit: 9, token: pair.right) }
      ) { events, isLeft in events.map { self.text($0, isLeft) }.joined(separator: "; ") }
    case 16:
      let query = AccountsQuery(namePrefix: chance(50) ? "" : "a", after: name.canonical, limit: 5)
      return both("accounts", pair) { try $0.accounts(query, token: $1) }
    case 17:
      return both("account \(name)", pair) { try $0.account(named: name, token: $1) }
    case 18:
      // Enabled more often than disabled, or soon nobody could do anything.
      let isDisabled = chance(25)
      return both("disabled \(isDisabled) \(name)", pair) { try $0.setDisabled(isDisabled, account: name, token: $1) }
    case 19, 20, 21:
      return try administer(pair, name)
    case 24, 25, 26:
      return twoStep(pair)
    default:
      if chance(50) {
        return both("unlock \(name)", pair) { try $0.unlock(account: name, token: $1) }
      }
      return both("note view", pair) { try $0.noteView(of: name.canonical, token: $1) }
    }
  }

  // MARK: Names that both share

  private static let forged = SessionToken(bytes: Array(repeating: 7, count: 32))

  private func name(_ id: SessionID, _ isLeft: Bool) -> String {
    sessionNames.firstIndex { (isLeft ? $0.left : $0.right) == id }.map { "session \($0)" } ?? "unknown session"
  }

  private func text(_ grant: Grant, _ isLeft: Bool) -> String {
    "grant of \(name(grant.id, isLeft)) to \(grant.user): \(text(grant.limits))"
  }

  private func text(_ limits: SessionLimits) -> String {
    [limits.idle, limits.absolute, limits.fresh].map(Self.text).joined(separator: ", ")
  }

  private static func text(_ deadline: Deadline) -> String {
    if case .at(let instant) = deadline { "\(instant.uptime)" } else { "\(deadline)" }
  }

  /// Its number is the database's own.
  private func text(_ event: Event, _ isLeft: Bool) -> String {
    let session: String
    switch event.session {
    case .named(let id): session = name(id, isLeft)
    case .hashed, nil: session = "-"
    }
    return
      "\(event.at.microseconds) \(event.name) \(event.account ?? "-") \(event.actor ?? "-") \(session) \(event.detail ?? "-")"
  }

  /// Runs what never really suspends.
  private static func wait<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let semaphore = DispatchSemaphore(value: 0)
    let result = Mutex<Swift.Result<Result, any Error>?>(nil)
    Task.detached {
      let value: Swift.Result<Result, any Error>
      do { value = .success(try await body()) } catch { value = .failure(error) }
      result.withLock { $0 = value }
      semaphore.signal()
    }
    semaphore.wait()
    return try #require(result.withLock { $0 }).get()
  }
}

extension History.Step {
  /// Session ids differ, and messages quote them.
  fileprivate func renaming(_ left: String, _ right: String) -> History.Step {
    .init(
      operation: operation, left: self.left.replacingOccurrences(of: left, with: "ID"),
      right: self.right.replacingOccurrences(of: right, with: "ID"))
  }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
