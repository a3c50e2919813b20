import AuthAccounts
import AuthCore
import AuthRules
import PostgresServers
import Programs
import Races
import Services
import Synchronization
import Testing

@testable import AuthPostgres

/// Two operations that decide about the same account, at once, through two connections: what comes
/// of them is what comes of some order of the two.
///
/// On PostgreSQL they meet between what they read and what they change, unless a lock makes one of
/// them wait, and then one goes first. Four rounds are all the ways to meet, so they find a missing
/// lock. SQLite has one writer at a time.
///
/// `ACCOUNT_RACE_ROUNDS` says how many rounds; `make test-races` takes 200.
@Suite(.timeLimit(.minutes(240))) struct RuleRaceTests {
  static let rounds = Effort.number("ACCOUNT_RACE_ROUNDS") ?? (Effort.isComplete ? 8 : 4)

  @Test("the outcome is that of some order of the two", arguments: Engine.possible, Pair.all)
  func pairs(engine: Engine, pair: Pair) async throws {
    let findings = try await onOwnThread { try RaceScene(engine).findings(pair, rounds: Self.rounds) }
    #expect(findings == [])
  }

  @Test(
    "without locks four rounds find something wrong with each pair", .enabled(if: ThrowawayServer.isPossible),
    arguments: Pair.all.filter { $0.guardedBy == nil })
  func control(pair: Pair) async throws {
    let findings = try await onOwnThread { try RaceScene(.postgres, hasLocks: false).findings(pair, rounds: 4) }
    #expect(!findings.isEmpty)
  }

  @Test("every operation that writes is raced, or decides about nothing that another one changes")
  func everyOperation() throws {
    let raced = try Set(Pair.all.flatMap { try $0.round(RaceScene(.sqlite)).requests.map(\.operation.name) })
    let writing = Set(Operations.all.values.filter { $0.work != .reads }.map(\.name))
    #expect(writing.subtracting(raced).symmetricDifference(Pair.unraced) == [], "add it to a pair, or to the unraced")
  }

  @Test("a change of everything that is refused waits for no payment, so no payment waits for it")
  func refused() async throws {
    guard ThrowawayServer.isPossible else { return }
    let codes = try await onOwnThread {
      let database = try RulesDatabase(isShared: true)
      _ = try database.registerBoth()
      let rules = database.authority.rules
      let bob = try database.authority.logIn("bob", bobPassword).token
      _ = try rules.pay(try PaymentOrder("1", to: "alice"), token: bob)
      let requests: [Request] = [
        Operations.endAllSessions(SessionToken(bytes: [1])), Operations.setRegistration(.open, bob),
        Operations.deleteOwnAccount(bob),
      ]
      return try rules.database.write(.rows) { _ in requests.map { request in code { try request.serve(rules) } } }
    }
    #expect(codes == ["session_revoked", "not_permitted", "balance_not_zero"])
  }
}

/// What the rules are on.
enum Engine: Sendable {
  case sqlite, postgres

  static var possible: [Engine] { ThrowawayServer.isPossible ? [.sqlite, .postgres] : [.sqlite] }
}

/// Two requests, and what may come of them.
struct Pair: Sendable, CustomTestStringConvertible {
  /// Two requests, each through a connection of its own, and the answers of any order of them: the
  /// codes of the errors, or nil.
  struct Round: Sendable {
    let requests: [Request]
    let orders: [[String?]]
    /// A query, and the number that it gives afterwards.
    let fact: (query: String, number: Int64)?
    /// A side whose request must be refused with a code once the other one has been answered, even
    /// where each of the answers is possible.
    let refused: (side: Int, code: String)?
    /// What is wrong after these answers; nil for nothing.
    let check: @Sendable ([String?]) throws -> String?

    init(
      _ first: Request, _ second: Request, _ orders: [String?]...,
      fact: (query: String, number: Int64)? = nil, refusedLater refused: (side: Int, code: String)? = nil,
      check: @escaping @Sendable ([String?]) throws -> String? = { _ in nil }
    ) {
      requests = [first, second]
      (self.orders, self.fact, self.refused, self.check) = (orders, fact, refused, check)
    }
  }

  let testDescription: String
  /// What keeps the answers right without locks; nil if they are wrong then.
  let guardedBy: String?
  /// Whether the first transaction that changes something decides, and not the last one.
  let decidesFirst: Bool
  /// Before which of its changes the second side waits in every other two rounds.
  let laterChange: Int
  let round: @Sendable (RaceScene) throws -> Round

  init(
    _ name: String, guardedBy: String? = nil, decidesFirst: Bool = false, laterChange: Int = 2,
    _ round: @escaping @Sendable (RaceScene) throws -> Round
  ) {
    (testDescription, self.guardedBy, self.decidesFirst) = (name, guardedBy, decidesFirst)
    (self.laterChange, self.round) = (laterChange, round)
  }
}

/// A database, two connections to it, and accounts, which all have the password of alice, the
/// administrator.
struct RaceScene: Sendable {
  let sides: [any RulesBackend]
  private let meeting: Meeting

  /// - Parameters:
  ///   - engine: Where the rules run.
  ///   - hasLocks: Whether the transactions lock anything.
  ///   - settings: Settings of the database on PostgreSQL, as `NAME = VALUE`.
  /// - Throws: What keeps the database from being used.
  init(_ engine: Engine, hasLocks: Bool = true, settings: [String] = []) throws {
    switch engine {
    case .sqlite:
      let work = Workspace()
      meeting = Meeting { false }
      sides = (0..<2).map { _ in work.authority(wallClock: { .now() }) }
    case .postgres:
      let database = try RulesDatabase()
      for setting in settings { try database.sql("ALTER DATABASE \(database.name) SET \(setting)") }
      let address = try ServerAddress(database.address)
      let watched = PostgresDatabase(address, connections: 1)
      let meeting = Meeting {
        (try? watched.read { (db) throws(BackendError) in try db.number(Self.blocked) }) != 0
      }
      self.meeting = meeting
      sides = (0..<2).map { side in
        // One side waits for as long as the other one, and its look at the server, may take.
        let limits = ServerLimits(answer: .seconds(60), read: .seconds(60))
        var database = AlteredDatabase(PostgresDatabase(address, limits: limits, patience: .seconds(60)))
        database.scope = { scope in
          meeting.note(tries: -1)
          return hasLocks || scope == nil ? scope : .rows
        }
        database.altered = { transaction in
          meeting.note(tries: 1)
          return MeetingTransaction(transaction, hasLocks: hasLocks) { meeting.arrive(side, isFirst: $0) }
        }
        return PostgresAuthority(database)
      }
    }
    _ = try sides[0].register(username: "alice", password: alicePassword)
  }

  var rules: Rules { sides[0].rules }

  /// How many connections wait for a lock.
  private static let blocked = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    """

  func findings(_ pair: Pair, rounds: Int) throws -> [String] {
    var findings: [String] = []
    @Sendable func answer(_ round: Pair.Round, _ side: Int) -> String? {
      defer { meeting.leave(side) }
      return code { _ = try round.requests[side].perform(sides[side]) }
    }
    for side in 0..<2 {
      let round = try pair.round(self)
      meeting.begin()
      _ = answer(round, side)
      meeting.learn(side, decidesFirst: pair.decidesFirst)
    }
    for number in 0..<rounds {
      let round = try pair.round(self)
      meeting.begin(first: number % 2, at: number / 2 % 2 == 0 ? 1 : pair.laterChange)
      let answers = TwoThreads.answers { answer(round, $0) }
      let fault = round.orders.contains(answers) ? try round.check(answers) : "not the answers of any order"
      if let fault { findings.append("round \(number): \(answers), \(fault)") }
      if let refused = round.refused, answers[refused.side] != refused.code, meeting.isLate(refused.side) {
        findings.append(
          "round \(number): \(answers), and side \(refused.side) began its change after the other's answer")
      }
      if meeting.hasRepeated { findings.append("round \(number): the server undid a transaction, as after a deadlock") }
      if let fact = round.fact, case let found = try sql(fact.query), found != fact.number {
        findings.append("round \(number): \(answers), \(found) of \(fact)")
      }
    }
    let books = """
      SELECT CAST((SELECT count(*) FROM ledger_accounts l WHERE balance <>
        (SELECT coalesce(sum(e.amount), 0) FROM entries e WHERE e.account = l.id)) +
        abs((SELECT sum(amount) FROM entries)) AS bigint)
      """
    if try sql(books) != 0 { findings.append("the books do not balance") }
    return findings
  }

  // MARK: - What rounds begin with

  /// A name that no account has.
  func newName() -> String { "u\(UInt64.random(in: 0 ... .max))" }

  /// A new account.
  func user(funded: Bool = true) throws -> Username {
    let name = newName()
    _ = try sides[0].register(username: name, password: alicePassword)
    let user = try Username(name)
    if !funded { _ = try rules.pay(try PaymentOrder("100", to: "alice"), token: try logIn(user)) }
    return user
  }

  func logIn(_ user: Username? = nil) throws -> SessionToken { try sides[0].logIn(user?.canonical ?? "alice").token }

  // MARK: - What is stored

  /// Runs a statement.
  ///
  /// - Returns: The first number of its result, or 0.
  @discardableResult
  func sql(_ statement: String) throws -> Int64 {
    try rules.database.write(.everything) { (db) throws(BackendError) in try db.number(statement) }
  }
}

extension Transaction {
  /// Runs a statement.
  ///
  /// - Returns: The first number of its result, or 0.
  fileprivate func number(_ statement: String) throws(BackendError) -> Int64 {
    var number: Int64 = 0
    try step(statement, []) { (row) throws(BackendError) in
      number = try row[0]
      return false
    }
    return number
  }
}

extension Request {
  static func logIn(_ name: Username, _ password: Secret = alicePassword, _ new: NewSession = .random) -> Request {
    Operations.logIn(.password(username: name.canonical, password: password), .standard, new)
  }
}

/// Where two sides meet, each in the transaction that decides: the first or the last one that
/// changes something.
///
/// The first side waits before its first change until the other one arrives too; the other one
/// waits before its first or a later change until the first one has left. Neither waits for a side
/// that is blocked.
private final class Meeting: Sendable {
  private struct State {
    /// The side that goes first; nil if nobody waits.
    var first: Int?
    var hasLeft = [false, false]
    /// How many transactions of each side have changed something, and with which one it decides.
    var changes = [0, 0]
    var deciding = [0, 0]
    /// Whether a side began to change something in that transaction after the other one had left.
    var isLate = [false, false]
    /// How many statements of the present transaction have changed something, and before which the
    /// other side waits.
    var statements = [0, 0]
    var at = 1
    /// How many more tries there were than transactions.
    var repeats = 0
  }

  private let state = Mutex(State())
  private let isBlocked: @Sendable () -> Bool

  init(isBlocked: @escaping @Sendable () -> Bool) { self.isBlocked = isBlocked }

  func begin(first: Int? = nil, at: Int = 1) {
    state.withLock { $0 = State(first: first, deciding: $0.deciding, at: at) }
  }
  func leave(_ side: Int) { state.withLock { $0.hasLeft[side] = true } }
  func learn(_ side: Int, decidesFirst: Bool) {
    state.withLock { $0.deciding[side] = decidesFirst ? 1 : $0.changes[side] }
  }
  func isLate(_ side: Int) -> Bool { state.withLock { $0.isLate[side] } }

  func note(tries: Int) { state.withLock { $0.repeats += tries } }
  var hasRepeated: Bool { state.withLock { $0.repeats > 0 } }

  func arrive(_ side: Int, isFirst: Bool) {
    let first = state.withLock { state in
      state.changes[side] += isFirst ? 1 : 0
      state.statements[side] = isFirst ? 1 : state.statements[side] + 1
      let at = side == state.first ? 1 : state.at
      return state.changes[side] == state.deciding[side] && state.statements[side] == at ? state.first : nil
    }
    guard let first else { return }
    let other = 1 - side
    func waits(_ state: State) -> Bool {
      let isThere = state.changes[other] == state.deciding[other] && state.statements[other] >= state.at
      return !state.hasLeft[other] && (side != first || !isThere)
    }
    while state.withLock({ waits($0) }), !isBlocked() {}
    state.withLock { if $0.statements[side] == 1 { $0.isLate[side] = $0.hasLeft[other] } }
  }
}

/// A transaction that says when it is about to change something, and whether that is the first
/// time, and whose locks may be left out.
private final class MeetingTransaction: Transaction {
  private let base: any Transaction
  private let hasLocks: Bool
  private let beforeChange: (_ isFirst: Bool) -> Void
  private var isChanging = false

  init(_ base: any Transaction, hasLocks: Bool, beforeChange: @escaping (_ isFirst: Bool) -> Void) {
    (self.base, self.hasLocks, self.beforeChange) = (base, hasLocks, beforeChange)
  }

  private func note(_ sql: String) {
    if sql.hasPrefix("SELECT") { return }
    beforeChange(!isChanging)
    isChanging = true
  }

  func now() throws(BackendError) -> BootInstant { try base.now() }
  var wallTime: WallTime { base.wallTime }
  var place: String { base.place }
  func eventNumber() throws(BackendError) -> Int64? { try base.eventNumber() }
  func receiptNumber() throws(BackendError) -> Int64? { try base.receiptNumber() }
  func skipReceipts(through number: Int64) throws(BackendError) -> Int64 { try base.skipReceipts(through: number) }
  func lock(_ lock: Lock) throws(BackendError) { if hasLocks { try base.lock(lock) } }
  /// Sends the statement now, so that what it locks is locked when the side waits.
  func run(_ sql: String, _ values: [SQLValue]) throws(BackendError) {
    _ = try step(sql, values) { (_) throws(BackendError) in false }
  }
  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int {
    note(sql)
    return try base.step(sql, values, wantsMore)
  }
  func damaged(_ detail: String) -> BackendError { base.damaged(detail) }
}
