import AuthBackend
import AuthCore
import AuthSQLite
import Programs
import Races
import Services
import Testing

@testable import AuthService

extension PostgresTests {
  /// The rules on SQLite and on PostgreSQL give the same answers to the same requests.
  @Suite struct DifferentialTests {
    /// `DIFFERENTIAL_SEED` and `DIFFERENTIAL_OPERATIONS` choose another history; `make
    /// test-backends` takes a long one from a random seed.
    @Test("a random history gets equal answers from both databases, clocks moved alike")
    func equalAnswers() throws {
      let length = Effort.number("DIFFERENTIAL_OPERATIONS")
      let seed = UInt64(
        Effort.number("DIFFERENTIAL_SEED") ?? (length == nil ? 142_943 : Int.random(in: 1...1_000_000)))
      let clock = SettableClock(uptime: .seconds(1_800_000_000))
      let folder = ShortFolder()
      let local = LocalAuthority(
        directory: folder.path + "/data", clock: clock, cost: .least, wallClock: { clock.wallTime })
      let database = try RulesDatabase(standing: clock)
      var random = SeededGenerator(seed: seed)
      var histories = [local.rules, database.authority.rules].map { History(rules: $0, clock: clock, random: random) }
      #expect(try histories[0].begin() == histories[1].begin())
      for number in 0..<(length ?? (Effort.isComplete ? 300 : 100)) {
        let pauses = [1_000, 1_000, 5_000_000, 1_000_000_000, 1_000_000_000, 40_000_000_000, 200_000_000_000]
        let isLong = Int.random(in: 0..<100, using: &random) == 0
        clock.advance(by: .nanoseconds(isLong ? 7_200_000_000_000 : pauses.randomElement(using: &random) ?? 0))
        let (embedded, server) = (try histories[0].step(), try histories[1].step())
        try #require(embedded == server, "DIFFERENTIAL_SEED=\(seed), operation \(number)")
      }
      withExtendedLifetime(folder) {}
    }
  }
}

/// The random requests of some users to one database, and its answers.
///
/// Two histories from one seed make the same requests while the answers are the same. Only what a
/// database draws at random differs, and the text of an answer leaves that out.
private struct History {
  let rules: Rules
  let clock: SettableClock
  var random: SeededGenerator
  var names: [String] = []
  var passwords: [String: Secret] = [:]
  var keys: [String] = []
  var tokens: [SessionToken] = []
  /// Whose a session or a challenge is.
  var owners: [SessionToken: String] = [:]
  /// Whose request it is.
  var user = "bob"
  /// Whether this step pays all money of a user away, whose account is deleted then.
  var isLeaving = false

  // What the database drew at random, in the order in which it did.
  var sessions: [SessionID] = []
  var numbers: [Substring: String] = [:]
  var codes: [(name: String, code: RecoveryCode)] = []
  var secrets: [String: TwoStepSecret] = [:]

  /// Three accounts; one has recovery codes and a second step, which most histories would never
  /// make.
  ///
  /// A database that exists answers as an empty one does.
  mutating func begin() throws -> String {
    let password = Secret("violet kettles under 4 wet stars")
    let new = newSession()
    let requests: [BackendRequest] =
      ["root", "alice", "bob"].map { .register(username: $0, password, displayName: nil) } + [
        .logIn(.password(username: "bob", password: password), .standard, new), .makeRecoveryCodes(new.token),
        .beginTwoStep(new.token),
      ]
    let log = requests.map { answer($0) }
    let code = clock.code(try #require(secrets["bob"]))
    return (log + [answer(.confirmTwoStep(code, new.token))]).joined(separator: "\n")
  }

  /// A random request with what follows from its answer, as text without what is drawn at random.
  mutating func step() throws -> String {
    isLeaving = false
    return answer(try request(pick(Self.tags)))
  }

  private mutating func answer(_ request: BackendRequest) -> String {
    let (text, next): (String, BackendRequest?)
    do throws(BackendError) {
      let answer = try rules.perform(request)
      next = note(answer, to: request)
      text = "\(answer)"
    } catch {
      next = note(error)
      text = "\(error.kind) \(error.code) \(error.values)"
    }
    return shown("\(request)") + "\n  " + shown(text) + (next.map { "\n" + answer($0) } ?? "")
  }

  /// Keeps what an answer gives.
  ///
  /// - Returns: The request that follows at once.
  private mutating func note(_ answer: BackendAnswer, to request: BackendRequest) -> BackendRequest? {
    switch (answer, request) {
    case (.user, .register(let name, let password, _)), (.user, .recover(let name, _, let password)):
      passwords[name] = password
      if !names.contains(name) { names.append(name) }
    case (.grant(let grant), _):
      if numbers[Substring(grant.id.rawValue)] == nil {
        numbers[Substring(grant.id.rawValue)] = "session \(sessions.count)"
        sessions.append(grant.id)
      }
      guard owners[grant.token] != grant.user.username else { return nil }
      owners[grant.token] = grant.user.username
      tokens.append(grant.token)
      if tokens.count > 40 { tokens.removeFirst() }
      if case .changePassword(_, let new, _, _) = request { passwords[user] = new }
      // Used at once: of several that are open, which one shows its limits in a list is nobody's
      // promise.
      return .sessions(SessionsPage(), grant.token)
    case (.oneTimeCode(let code), _):
      codes.append((code.user.username, code.code))
      if !names.contains(code.user.username) { names.append(code.user.username) }
    case (.recoveryCodes(let made), _): codes += made.prefix(3).map { (user, $0) }
    case (.twoStepSecret(let secret), .beginTwoStep(let token)):
      secrets[user] = secret
      return chance(70) ? .confirmTwoStep(code(of: user), token) : nil
    case (.profile(let profile), .profile(let token)) where isLeaving:
      guard let amount = try? Amount(minorUnits: profile.balance), let payee = try? Username(pick(names)) else {
        return .deleteOwnAccount(token)
      }
      return .pay(PaymentOrder(amount: amount, payee: payee), token)
    case (.receipt, .pay(_, let token)) where isLeaving: return chance(70) ? .deleteOwnAccount(token) : nil
    default: break
    }
    return nil
  }

  private mutating func note(_ error: BackendError) -> BackendRequest? {
    guard case .challenged(let challenge) = error.kind else { return nil }
    owners[challenge.token] = user
    return chance(90) ? .answer(code(of: user), challenge: challenge.token, newSession()) : nil
  }

  // MARK: Requests

  /// All kinds of requests, those oftener that much depends on.
  private static let tags =
    RequestTag.allCases
    + [
      (RequestTag.logIn, 14), (.reauthenticate, 5), (.pay, 6), (.register, 2), (.recover, 2), (.beginTwoStep, 1),
      (.events, 1), (.resetPassword, 1), (.changePassword, 1),
    ].flatMap { Array(repeating: $0, count: $1) }

  private mutating func request(_ tag: RequestTag) throws -> BackendRequest {
    // Most sessions of long ago have ended.
    let token =
      chance(5) ? SessionToken(bytes: Array(repeating: 7, count: 32)) : pick(chance(70) ? tokens.suffix(4) : tokens)
    user = owners[token] ?? "bob"
    let name = try Username(chance(10) ? "nobody" : pick(names))
    let new = newSession()
    switch tag {
    case .logIn:
      let typed = chance(15) ? pick(["nobody", "no-one", "UPPER", "not a name", ""]) : pick(names)
      let limits = pick([
        .standard, .standard, LimitRequest(idle: .seconds(120)), LimitRequest(absolute: .seconds(900)),
        LimitRequest(idle: .seconds(-5), absolute: .seconds(100_000)),
      ])
      user = typed
      return .logIn(.password(username: typed, password: password(of: typed, isRight: chance(60))), limits, new)
    case .reauthenticate:
      return .reauthenticate(token, password(of: user, isRight: chance(70)), .standard, newToken: new.token)
    case .answer: return .answer(code(of: user), challenge: token, new)
    case .resume: return .resume(token)
    case .lookUp: return .lookUp(token)
    case .renew: return .renew(token)
    case .confirm: return .confirm(token)
    case .revoke: return .revoke(token, pick(EndReason.allCases))
    case .checkUsername: return .checkUsername(chance(50) ? "user\(below(40))" : name.canonical)
    case .checkPassword: return .checkPassword(Secret(pick(["short", "long enough for all"])), username: user)
    case .checkForLogins: return .checkForLogins
    case .register:
      let typed = chance(40) ? pick(names) : "user\(names.count)"
      return .register(username: typed, Secret("violet kettles under 4 wet stars"), displayName: nil)
    case .profile: return .profile(token)
    case .rename: return .rename(pick(["Somebody", "Ada Lovelace", " bad", "\u{1B}[31m"]), token)
    case .changePassword:
      let present = password(of: user, isRight: chance(80))
      let next = pick([Secret("another password number \(below(50))"), Secret("short"), present])
      return .changePassword(from: present, to: next, token, newToken: new.token)
    case .deleteOwnAccount:
      isLeaving = chance(60)
      return isLeaving ? .profile(token) : .deleteOwnAccount(token)
    case .makeRecoveryCodes: return .makeRecoveryCodes(token)
    case .recover:
      let (owner, code) =
        chance(20) ? (name.canonical, RecoveryCode(typed: Array("wrong \(below(3))".utf8))) : pick(codes)
      let typed = chance(80) ? owner : pick(["nobody", "UPPER", "not a name", name.canonical])
      return .recover(username: typed, code, Secret(pick(["short", "a recovered password \(below(50))"])))
    case .resetPassword: return .resetPassword(name, token)
    case .resetPasswordAsOwner: return .resetPasswordAsOwner(name)
    case .twoStep: return .twoStep(token)
    case .beginTwoStep: return .beginTwoStep(token)
    case .confirmTwoStep: return .confirmTwoStep(code(of: user), token)
    case .endTwoStep: return .endTwoStep(code(of: user), token)
    case .twoStepPolicy: return .twoStepPolicy(token)
    case .setTwoStepPolicy: return .setTwoStepPolicy(chance(20) ? .required : .optional, token)
    case .sessions: return .sessions(SessionsPage(), token)
    case .revokeSession: return .revokeSession(chance(50) ? sessions[sessions.count - 1] : pick(sessions), token)
    case .endAllSessions: return .endAllSessions(token)
    case .earlierPayment: return .earlierPayment(try order(to: name), token)
    case .pay: return .pay(try order(to: name), token)
    case .receipts:
      let text = pick(["", "", "A", "-1", "12.5", "opening", "%"])
      let before = chance(50) ? nil : Int64(below(200))
      return .receipts(Page(within: .all, matching: text, before: before, limit: 7), token)
    case .events:
      // No text that the random name of a session may contain: it differs between the databases.
      let text = pick(["", "", "AUTHN_", "created", "deleted account", "_", "admin"])
      return .events(
        chance(50) ? .own : .everyone, Page(within: .all, matching: text, before: nil, limit: 9), token)
    case .accounts:
      return .accounts(AccountsQuery(namePrefix: chance(50) ? "" : "a", after: name.canonical, limit: 5), token)
    case .account: return .account(name, token)
    // Enabled more often than disabled, and promoted more often than demoted, or soon nobody could
    // do anything.
    case .setDisabled: return .setDisabled(chance(25), name, token)
    case .setRole: return .setRole(chance(60) ? .administrator : .member, name, token)
    case .unlock: return .unlock(name, token)
    case .deleteAccount: return .deleteAccount(name, token)
    case .registration: return .registration(token)
    case .setRegistration: return .setRegistration(chance(30) ? .closed : .open, token)
    case .registerOther:
      return .registerOther(username: chance(30) ? name.canonical : "User\(names.count)", token)
    case .noteView: return .noteView(name.canonical, token)
    }
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
  private mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  private mutating func newSession() -> NewSession {
    let token = SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    return NewSession(token: token, label: "here", origin: nil)
  }

  private func password(of name: String, isRight: Bool) -> Secret {
    isRight ? passwords[name] ?? Secret("none of anybody at all") : Secret("wrong password of somebody")
  }

  private mutating func order(to payee: Username) throws -> PaymentOrder {
    var key: IdempotencyKey?
    if chance(60) {
      if keys.isEmpty || chance(60) { keys.append("key \(keys.count)") }
      key = try IdempotencyKey(pick(keys))
    }
    return PaymentOrder(amount: try Amount(minorUnits: Int64(below(3000)) + 1), payee: payee, key: key)
  }

  /// An answer to a challenge: a code of a time step near this one, a recovery code, or nonsense.
  private mutating func code(of name: String) -> Secret {
    let own = codes.filter { $0.name == name }
    if chance(25), !own.isEmpty { return Secret(pick(own).code.text) }
    guard chance(80), let secret = secrets[name] else {
      return Secret(pick(["no code", "000000", "123 456", "", "1234567"]))
    }
    let seconds = pick([-60, -30, 0, 0, 0, 30, 60] as [Int64])
    return secret.code(at: WallTime(microseconds: clock.wallTime.microseconds + seconds * 1_000_000))
  }

  // MARK: Texts

  /// A text without the names of sessions, the numbers of events and the name of the clock, which
  /// are a database's own.
  private func shown(_ text: String) -> String {
    text.replacing(/BootID\([^)]*\)/, with: "").replacing(/Event\(id: \d+/, with: "Event(")
      .split(separator: "\"", omittingEmptySubsequences: false).map { numbers[$0] ?? String($0) }
      .joined(separator: "\"")
  }
}
