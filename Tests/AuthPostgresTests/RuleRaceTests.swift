import AuthBackend
import AuthCore
import AuthPostgres
import PostgresServers
import Programs
import Races
import Services
import Testing

/// Two operations that decide about the same account, at once, through two connections: what comes
/// of them is what comes of some order of the two.
///
/// `ACCOUNT_RACE_ROUNDS` says how many rounds; `make test-races` takes 200.
@Suite struct RuleRaceTests {
  static let rounds = Effort.number("ACCOUNT_RACE_ROUNDS") ?? (Effort.isComplete ? 8 : 2)

  @Test("some order of the two", arguments: Engine.possible, Pair.all)
  func pairs(engine: Engine, pair: Pair) async throws {
    let findings = try await onOwnThread { try RaceScene(engine).findings(pair, rounds: Self.rounds) }
    #expect(findings == [])
  }

  @Test("without row locks the payments of one account are refused for another reason, or lose money")
  func control() async throws {
    guard ThrowawayServer.isPossible else { return }
    let findings = try await onOwnThread {
      try RaceScene(.postgres, hasLocks: false).findings(.twoPayments, rounds: 400, stopsAtFirst: true)
    }
    #expect(!findings.isEmpty)
  }

  @Test("a change of everything that is refused waits for no payment, so no payment waits for it")
  func refused() async throws {
    guard ThrowawayServer.isPossible else { return }
    let codes = try await onOwnThread {
      let database = try RulesDatabase(isShared: true)
      _ = try database.registerBoth()
      let rules = database.authority.rules
      let bob = try database.authority.logIn("bob", bobPassword).token
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
    let requests: [[Request]]
    let orders: [[String?]]
    /// A query, and the number that it gives afterwards.
    let fact: (query: String, number: Int64)?
    /// What is wrong after these answers; nil for nothing.
    let check: @Sendable ([String?]) throws -> String?

    init(
      _ first: Request, _ second: Request, then third: Request? = nil, _ orders: [String?]...,
      fact: (query: String, number: Int64)? = nil,
      check: @escaping @Sendable ([String?]) throws -> String? = { _ in nil }
    ) {
      requests = [[first], [second] + (third.map { [$0] } ?? [])]
      (self.orders, self.fact, self.check) = (orders, fact, check)
    }
  }

  let testDescription: String
  let round: @Sendable (RaceScene) throws -> Round

  init(_ name: String, _ round: @escaping @Sendable (RaceScene) throws -> Round) {
    (testDescription, self.round) = (name, round)
  }
}

/// A database, two connections to it, and accounts, which all have the password of alice, the
/// administrator.
struct RaceScene: Sendable {
  let sides: [any RulesBackend]
  private let engine: Engine

  init(_ engine: Engine, hasLocks: Bool = true) throws {
    self.engine = engine
    switch engine {
    case .sqlite:
      let work = Workspace()
      sides = (0..<2).map { _ in work.authority(wallClock: { .now() }) }
    case .postgres:
      let address = try ServerAddress(RulesDatabase().address)
      sides = (0..<2).map { _ in
        var database = AlteredDatabase(PostgresDatabase(address))
        if !hasLocks { database.altered = { UnlockedTransaction($0) } }
        return PostgresAuthority(database)
      }
    }
    _ = try sides[0].register(username: "alice", password: alicePassword)
  }

  var rules: Rules { sides[0].rules }

  func findings(_ pair: Pair, rounds: Int, stopsAtFirst: Bool = false) throws -> [String] {
    var findings: [String] = []
    for number in 0..<rounds {
      let round = try pair.round(self)
      let answers = TwoThreads.answers { side in
        round.requests[side].reduce(nil) { answer, request in answer ?? code { try request.perform(sides[side]) } }
      }
      let fault = round.orders.contains(answers) ? try round.check(answers) : "not the answers of any order"
      if let fault { findings.append("round \(number): \(answers), \(fault)") }
      if let fact = round.fact, case let found = try sql(fact.query), found != fact.number {
        findings.append("round \(number): \(answers), \(found) of \(fact)")
      }
      if stopsAtFirst, !findings.isEmpty { return findings }
    }
    let books = """
      SELECT CAST((SELECT count(*) FROM ledger_accounts l WHERE balance <>
        (SELECT coalesce(sum(e.amount), 0) FROM entries e WHERE e.account = l.id)) +
        abs((SELECT sum(amount) FROM entries)) AS bigint)
      """
    if try sql(books) != 0 { findings.append("the books do not balance") }
    if engine == .postgres {
      // Told late: the count is what the server has reported so far.
      let deadlocks = try sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
      if deadlocks != 0 { findings.append("\(deadlocks) deadlocks") }
    }
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
    try rules.database.write(.everything) { (db) throws(BackendError) in
      var number: Int64 = 0
      try db.step(statement, []) { (row) throws(BackendError) in
        number = try row[0]
        return false
      }
      return number
    }
  }
}

extension Request {
  static func logIn(_ name: Username, _ password: Secret = alicePassword, _ new: NewSession = .random) -> Request {
    Operations.logIn(.password(username: name.canonical, password: password), .standard, new)
  }
}

/// A transaction whose locks of rows are left out.
private final class UnlockedTransaction: Transaction {
  private let base: any Transaction

  init(_ base: any Transaction) { self.base = base }

  func now() throws(BackendError) -> BootInstant { try base.now() }
  var wallTime: WallTime { base.wallTime }
  func eventNumber() throws(BackendError) -> Int64 { try base.eventNumber() }
  func receiptNumber() throws(BackendError) -> Int64? { try base.receiptNumber() }
  func skipReceipts(through number: Int64) throws(BackendError) -> Int64 { try base.skipReceipts(through: number) }
  func lock(_ lock: Lock) throws(BackendError) {}
  func run(_ sql: String, _ values: [SQLValue]) throws(BackendError) { try base.run(sql, values) }
  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int { try base.step(sql, values, wantsMore) }
  func damaged(_ detail: String) -> BackendError { base.damaged(detail) }
}
