import AuthAccounts
import AuthAccountsTesting
import AuthCore
import AuthRules
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
        Effort.number("DIFFERENTIAL_SEED") ?? (length == nil ? 3 : Int.random(in: 1...1_000_000)))
      let clock = SettableClock(uptime: .seconds(1_800_000_000))
      let folder = ShortFolder()
      let local = LocalAuthority(
        directory: folder.path + "/data", clock: clock, cost: .least, wallClock: { clock.wallTime })
      let database = try RulesDatabase(standing: clock)
      var random = SeededGenerator(seed: seed)
      var histories = [local.rules, database.authority.rules].map { History(rules: $0, clock: clock, random: random) }
      #expect(try histories[0].begin() == histories[1].begin())
      let operations = Set(Sample.all.map(\.operation.name))
      let last = length ?? (Effort.isComplete ? 500 : 300)
      // Longer if an operation has not succeeded yet; a new operation changes which ones have.
      for number in 0..<(2 * last) where number < last || !operations.isSubset(of: histories[0].succeeded) {
        let pauses = [1_000, 1_000, 5_000_000, 1_000_000_000, 1_000_000_000, 40_000_000_000, 200_000_000_000]
        let isLong = Int.random(in: 0..<100, using: &random) == 0
        clock.advance(by: .nanoseconds(isLong ? 7_200_000_000_000 : pauses.randomElement(using: &random) ?? 0))
        let (embedded, server) = (try histories[0].step(), try histories[1].step())
        try #require(embedded == server, "DIFFERENTIAL_SEED=\(seed), operation \(number)")
      }
      let never = operations.subtracting(histories[0].succeeded)
      #expect(never == [], "DIFFERENTIAL_SEED=\(seed): these never succeeded, so nothing compares what they do")
      withExtendedLifetime(folder) {}
    }
  }
}

/// The random requests of some users to one database, and its answers.
///
/// Two histories from one seed make the same requests while the answers are the same. Only what a
/// database draws at random differs, and the text of an answer leaves that out.
private struct History: SampleSource {
  let rules: Rules
  let clock: SettableClock
  var random: SeededGenerator
  var names: [String] = []
  var passwords: [String: Secret] = [:]
  var keys: [String] = []
  var receipts: [Int64] = []
  var tokens: [SessionToken] = []
  /// Whose a session or a challenge is.
  var owners: [SessionToken: String] = [:]
  /// Whose request it is.
  var user = "bob"
  /// The session and the other account of the request.
  var token = SessionToken(bytes: [])
  var other = "bob"
  /// The operations that succeeded.
  var succeeded: Set<String> = []
  /// Whether this step pays all money of a user away, whose account is deleted then.
  var isLeaving = false
  /// Who paid everything away, for an administrator to delete.
  var poor: String?

  // What the database drew at random, in the order in which it did.
  var sessions: [SessionID] = []
  var numbers: [Substring: String] = [:]
  var codes: [(name: String, code: RecoveryCode)] = []
  var secrets: [String: TwoStepSecret] = [:]
  var proofs: [ToolProof] = []

  /// Three accounts; one has recovery codes and a second step, and another one had them, which most
  /// histories would never make.
  ///
  /// A database that exists answers as an empty one does.
  mutating func begin() throws -> String {
    let password = Secret("violet kettles under 4 wet stars")
    var log = ["root", "alice", "bob"].map { answer(Operations.register($0, password, nil)) }
    for name in ["bob", "alice"] {
      user = name
      let new = new
      log += [
        Operations.logIn(.password(username: name, password: password), .standard, new),
        Operations.makeRecoveryCodes(new.token), Operations.beginTwoStep(new.token),
      ].map { answer($0) }
      log.append(answer(Operations.confirmTwoStep(clock.code(try #require(secrets[name])), new.token)))
      guard name == "alice" else { continue }
      let code = try #require(codes.last).code
      log.append(answer(Operations.endTwoStep(Secret(code.text), new.token)))
    }
    return log.joined(separator: "\n")
  }

  /// A random request with what follows from its answer, as text without what is drawn at random.
  mutating func step() throws -> String {
    isLeaving = false
    let missing = Sample.all.filter { !succeeded.contains($0.operation.name) }
    guard !missing.isEmpty, chance(80) else { return answer(try request(pick(Self.samples))) }
    // What never succeeded is tried in a session that just began, of the one who may.
    let sample = pick(missing)
    let isForAdministrators = sample.operation.needs?.role != nil
    let mayPay = sample.operation.name == Operations.deleteAccount.name && poor == nil
    user = isForAdministrators && !mayPay ? "root" : pick(names)
    let credentials = Credentials.password(username: user, password: passwords[user] ?? Secret("none"))
    let login = answer(Operations.logIn(credentials, .standard, new))
    return login + "\n" + answer(try request(sample, isNew: true))
  }

  private mutating func answer(_ request: Request) -> String {
    let (text, next): (String, Request?)
    do throws(BackendError) {
      let output = try request.serve(rules)
      next = note(output, of: request)
      text = "\(output)"
      succeeded.insert(request.operation.name)
    } catch {
      next = note(error)
      text = "\(error.kind) \(error.code) \(error.values)"
    }
    return shown("\(request.operation.name) \(request.input)") + "\n  " + shown(text)
      + (next.map { "\n" + answer($0) } ?? "")
  }

  /// Keeps what an answer gives.
  ///
  /// - Returns: The request that follows at once.
  private mutating func note(_ output: any Sendable, of request: Request) -> Request? {
    switch output {
    case is User:
      guard let (name, password) = registered(by: request) else { return nil }
      passwords[name] = password
      if !names.contains(name) { names.append(name) }
    case let grant as Grant:
      if numbers[Substring(grant.id.rawValue)] == nil {
        numbers[Substring(grant.id.rawValue)] = "session \(sessions.count)"
        sessions.append(grant.id)
      }
      guard owners[grant.token] != grant.user.username else { return nil }
      owners[grant.token] = grant.user.username
      tokens.append(grant.token)
      if tokens.count > 40 { tokens.removeFirst() }
      if let (_, new, _, _) = request.input(of: Operations.changePassword) { passwords[user] = new }
      // Used at once: of several that are open, which one shows its limits in a list is nobody's
      // promise.
      return Operations.sessions(SessionsPage(), grant.token)
    case let code as OneTimeCode:
      codes.append((code.user.username, code.code))
      if !names.contains(code.user.username) { names.append(code.user.username) }
    case let made as [RecoveryCode]: codes += made.prefix(3).map { (user, $0) }
    case let secret as TwoStepSecret:
      secrets[user] = secret
      return chance(70) ? Operations.confirmTwoStep(code, token) : nil
    case let proof as ToolProof:
      proofs.append(proof)
      // Verified at once, by the newest session of its tool: most proofs expire before they are.
      let tool = tokens.last { owners[$0] == other }
      return chance(80) ? tool.map { Operations.verify(proof, $0) } : nil
    case let profile as Profile where isLeaving && request.operation.name == Operations.profile.name:
      guard let amount = try? Amount(minorUnits: profile.balance), let payee = try? Username(pick(names)) else {
        return Operations.deleteOwnAccount(token)
      }
      return Operations.pay(PaymentOrder(amount: amount, payee: payee), token)
    case let receipt as Receipt where !isLeaving: receipts.append(receipt.id)
    case is Receipt:
      if !succeeded.contains(Operations.deleteAccount.name) {
        poor = user
        return nil
      }
      return chance(70) ? Operations.deleteOwnAccount(token) : nil
    default: break
    }
    return nil
  }

  /// The account that a request created or recovered, and its password.
  private func registered(by request: Request) -> (String, Secret)? {
    if let (name, password, _) = request.input(of: Operations.register) { return (name, password) }
    return request.input(of: Operations.recover).map { ($0, $2) }
  }

  private mutating func note(_ error: BackendError) -> Request? {
    guard case .challenged(let challenge) = error.kind else { return nil }
    owners[challenge.token] = user
    return chance(90) ? Operations.answer(code, challenge.token, new) : nil
  }

  // MARK: Requests

  /// All operations, those oftener that much depends on.
  private static let samples =
    Sample.all
    + [
      ("logIn", 14), ("reauthenticate", 5), ("pay", 6), ("register", 2), ("recover", 2), ("beginTwoStep", 1),
      ("events", 1), ("resetPassword", 1), ("changePassword", 1),
    ].flatMap { name, count in Array(repeating: Sample.all.filter { $0.operation.name == name }, count: count).joined()
    }

  private mutating func request(_ sample: Sample, isNew: Bool = false) throws -> Request {
    // Most sessions of long ago have ended.
    token =
      isNew
      ? tokens[tokens.count - 1]
      : chance(5) ? SessionToken(bytes: Array(repeating: 7, count: 32)) : pick(chance(70) ? tokens.suffix(4) : tokens)
    user = owners[token] ?? "bob"
    other = !isNew && chance(10) ? "nobody" : pick(names)
    switch sample.operation.name {
    case Operations.deleteOwnAccount.name where chance(60), Operations.deleteAccount.name where poor == nil:
      isLeaving = true
      return Operations.profile(token)
    case Operations.deleteAccount.name:
      other = poor ?? other
      poor = nil
    default: break
    }
    var source: any SampleSource = self
    let request = try sample.request(&source)
    if let history = source as? History { self = history }
    return request
  }

  // MARK: Values

  var newToken: SessionToken {
    mutating get { SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }) }
  }
  var new: NewSession { mutating get { NewSession(token: newToken, label: "here", origin: nil) } }
  var session: SessionID { mutating get { chance(50) ? sessions[sessions.count - 1] : pick(sessions) } }
  var limits: LimitRequest {
    mutating get {
      pick([
        .standard, .standard, LimitRequest(idle: .seconds(120)), LimitRequest(absolute: .seconds(900)),
        LimitRequest(idle: .seconds(-5), absolute: .seconds(100_000)),
      ])
    }
  }
  var credentials: Credentials {
    mutating get {
      user = chance(15) ? pick(["nobody", "no-one", "UPPER", "not a name", ""]) : pick(names)
      return .password(username: user, password: password)
    }
  }
  var password: Secret {
    mutating get {
      chance(70) ? passwords[user] ?? Secret("none of anybody at all") : Secret("wrong password of somebody")
    }
  }
  var newPassword: Secret {
    mutating get {
      pick([Secret("another password number \(below(50))"), Secret("short"), passwords[user] ?? Secret("none")])
    }
  }
  var firstPassword: Secret {
    mutating get { chance(20) ? Secret("short") : Secret("a recovered password \(below(50))") }
  }
  var answer: Secret { mutating get { code } }

  /// A code of a time step near this one, a recovery code, or nonsense.
  var code: Secret {
    mutating get {
      let own = codes.filter { $0.name == user }
      if chance(25), !own.isEmpty { return Secret(pick(own).code.text) }
      guard chance(80), let secret = secrets[user] else {
        return Secret(pick(["no code", "000000", "123 456", "", "1234567"]))
      }
      let seconds = pick([-60, -30, 0, 0, 0, 30, 60] as [Int64])
      return secret.code(at: WallTime(microseconds: clock.wallTime.microseconds + seconds * 1_000_000))
    }
  }
  var recovery: (name: String, code: RecoveryCode) {
    mutating get {
      let (owner, code) = chance(20) ? (other, RecoveryCode(typed: Array("wrong \(below(3))".utf8))) : pick(codes)
      return (chance(80) ? owner : pick(["nobody", "UPPER", "not a name", other]), code)
    }
  }
  var endReason: EndReason { mutating get { pick(EndReason.allCases) } }
  var name: String { mutating get { chance(40) ? pick(names) : "user\(names.count)" } }
  var otherName: String { mutating get { chance(30) ? other : "User\(names.count)" } }
  var username: Username {
    do { return try Username(other) } catch { preconditionFailure("\(other): \(error)") }
  }
  var displayName: String { mutating get { pick(["Somebody", "Ada Lovelace", " bad", "\u{1B}[31m"]) } }
  var order: PaymentOrder {
    mutating get throws {
      var key: IdempotencyKey?
      if chance(60) {
        if keys.isEmpty || chance(60) { keys.append("key \(keys.count)") }
        key = try IdempotencyKey(pick(keys))
      }
      return PaymentOrder(amount: try Amount(minorUnits: Int64(below(3000)) + 1), payee: username, key: key)
    }
  }
  var number: Int64 { mutating get { receipts.isEmpty || chance(20) ? Int64(below(200)) : pick(receipts) } }
  var page: Page {
    mutating get {
      let text = pick(["", "", "A", "-1", "12.5", "opening", "%"])
      return Page(within: .all, matching: text, before: chance(50) ? nil : number, limit: 7)
    }
  }
  /// No text that the random name of a session may contain: it differs between the databases.
  var eventPage: Page {
    mutating get {
      Page(matching: pick(["", "", "AUTHN_", "created", "deleted account", "_", "admin"]), limit: 9)
    }
  }
  var sessionsPage: SessionsPage { SessionsPage() }
  var accountsQuery: AccountsQuery {
    mutating get { AccountsQuery(namePrefix: chance(50) ? "" : "a", after: other, limit: 5) }
  }
  // Enabled more often than disabled, and promoted more often than demoted, or soon nobody could do
  // anything.
  var isDisabled: Bool { mutating get { chance(25) } }
  var role: Role { mutating get { chance(60) ? .administrator : .member } }
  var registration: Registration { mutating get { chance(20) ? .closed : .open } }
  var twoStepPolicy: TwoStepPolicy { mutating get { chance(20) ? .required : .optional } }
  var subject: String { other }
  var isMember: Bool { mutating get { chance(70) } }
  var group: GroupName { mutating get throws { try GroupName(pick(["release", "Ops", "build"])) } }
  var groupPage: GroupPage { mutating get { GroupPage(after: chance(50) ? nil : "n", limit: 2) } }
  var memberPage: GroupPage { mutating get { GroupPage(after: chance(60) ? nil : other, limit: 2) } }
  var proof: ToolProof {
    mutating get { proofs.isEmpty ? ToolProof(typed: Array("no proof".utf8)) : pick(proofs) }
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
  private mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  // MARK: Texts

  /// A text without the names of sessions, the numbers of events and the name of the clock, which
  /// are a database's own.
  private func shown(_ text: String) -> String {
    text.replacing(/BootID\([^)]*\)/, with: "").replacing(/Event\(id: \d+/, with: "Event(")
      .split(separator: "\"", omittingEmptySubsequences: false).map { numbers[$0] ?? String($0) }
      .joined(separator: "\"")
  }
}
