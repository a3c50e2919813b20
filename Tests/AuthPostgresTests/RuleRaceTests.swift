import AuthBackend
import AuthCore
import AuthSQLite
import CSQLite
import Foundation
import PostgresServers
import Programs
import Races
import Synchronization
import Testing

@testable import AuthPostgres

/// Two operations that decide about the same account, at once, through two connections: what comes
/// of them is what comes of some order of the two.
///
/// `ACCOUNT_RACE_ROUNDS` says how many rounds; `make test-races` takes 200.
@Suite struct RuleRaceTests {
  static let rounds =
    Int(ProcessInfo.processInfo.environment["ACCOUNT_RACE_ROUNDS"] ?? "") ?? (Effort.isComplete ? 8 : 2)

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
}

/// What the rules are on.
enum Engine: String, Sendable, CustomTestStringConvertible {
  case sqlite, postgres

  static var possible: [Engine] { ThrowawayServer.isPossible ? [.sqlite, .postgres] : [.sqlite] }
  var testDescription: String { rawValue }
}

/// Two operations, and what may come of them.
struct Pair: Sendable, CustomTestStringConvertible {
  /// Made before each round: two operations, and what is wrong with their answers.
  struct Round: Sendable {
    let first: @Sendable (Rules) throws(BackendError) -> Void
    let second: @Sendable (Rules) throws(BackendError) -> Void
    /// Nil when the answers, and what is stored, are those of some order.
    let verdict: @Sendable ([String?]) throws -> String?
  }

  let name: String
  let round: @Sendable (RaceScene, _ number: Int) throws -> Round
  var testDescription: String { name }
}

/// A database, two connections to it, and accounts.
final class RaceScene: Sendable {
  let sides: [Rules]
  private let directory = NSTemporaryDirectory() + "race-\(UInt32.random(in: 0 ... .max))"
  private let database: RulesDatabase?
  private let tokens = Mutex<[String: SessionToken]>([:])

  static let password = Secret("marble kettle window harvest")

  init(_ engine: Engine, hasLocks: Bool = true) throws {
    let directory = directory
    switch engine {
    case .sqlite:
      database = nil
      sides = (0..<2).map { _ in LocalAuthority(directory: directory, cost: .least).rules }
    case .postgres:
      let database = try RulesDatabase()
      self.database = database
      let address = try ServerAddress(database.address)
      sides = (0..<2).map { _ in
        let driver = PostgresDatabase(address)
        return Rules(database: hasLocks ? driver : Unlocked(driver), policy: .standard, cost: .least)
      }
    }
    _ = try rules.register(username: "alice", password: Self.password)
    try fund("alice")
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var rules: Rules { sides[0] }

  func findings(_ pair: Pair, rounds: Int, stopsAtFirst: Bool = false) throws -> [String] {
    var findings: [String] = []
    for number in 0..<rounds {
      let round = try pair.round(self, number)
      let answers = TwoThreads.answers { [sides] side -> String? in
        do throws(BackendError) {
          if side == 0 { try round.first(sides[0]) } else { try round.second(sides[1]) }
          return nil
        } catch {
          return error.code
        }
      }
      if let what = try round.verdict(answers) { findings.append("round \(number): \(answers), \(what)") }
      if stopsAtFirst, !findings.isEmpty { return findings }
    }
    let books = """
      SELECT (SELECT count(*) FROM ledger_accounts l WHERE balance <>
        (SELECT coalesce(sum(e.amount), 0) FROM entries e WHERE e.account = l.id)) +
        abs((SELECT sum(amount) FROM entries))
      """
    if try number(books) != 0 { findings.append("the books do not balance") }
    if database != nil {
      // Told late: the count is what the server has reported so far.
      let deadlocks = try number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
      if deadlocks != 0 { findings.append("\(deadlocks) deadlocks") }
    }
    return findings
  }

  // MARK: - What rounds begin with

  func user(_ name: String, funded: Bool = true) throws -> Username {
    _ = try rules.register(username: name, password: Self.password)
    if !funded {
      let all = PaymentOrder(amount: try Amount("100"), payee: try Username("alice"))
      _ = try rules.pay(all, token: try token(name))
    }
    return try Username(name)
  }

  /// The one session of a user.
  func token(_ name: String) throws -> SessionToken {
    if let known = tokens.withLock({ $0[name] }) { return known }
    let token = try logIn(rules, name)
    tokens.withLock { $0[name] = token }
    return token
  }

  func logIn(_ rules: Rules, _ name: String, _ password: Secret = password) throws(BackendError) -> SessionToken {
    let token = SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
    _ = try rules.perform(
      .logIn(
        Credentials.password(username: name, password: password), .standard,
        NewSession(token: token, label: nil, origin: nil)))
    return token
  }

  func order(_ amount: String, to payee: Username, key: String? = nil) throws -> PaymentOrder {
    PaymentOrder(amount: try Amount(amount), payee: payee, key: try key.map { try IdempotencyKey($0) })
  }

  /// Enough for every round.
  private func fund(_ name: String) throws {
    for statement in [
      "INSERT INTO transfers(id, payer, payee, amount, made_at) VALUES (1000000, 0, 1, 100000000, 0)",
      "INSERT INTO entries(account, transfer, amount) VALUES (0, 1000000, -100000000), (1, 1000000, 100000000)",
      "UPDATE ledger_accounts SET balance = balance + 100000000 WHERE id = 1",
      "UPDATE ledger_accounts SET balance = balance - 100000000 WHERE id = 0",
    ] { try run(statement) }
  }

  // MARK: - What is stored

  func run(_ statement: String) throws { _ = try sql(statement) }

  func number(_ query: String) throws -> Int64 { try sql(query) }

  /// The first number of a statement's result, or 0.
  private func sql(_ statement: String) throws -> Int64 {
    if let database {
      let connection = try Databases.connect(database.address)
      try connection.sql("SET search_path = auth, pg_catalog")
      return Int64(try connection.rows(statement).first?.first??.prefix { $0 != "." } ?? "") ?? 0
    }
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    try #require(sqlite3_open(directory + "/authority.db", &handle) == SQLITE_OK)
    var prepared: OpaquePointer?
    defer { sqlite3_finalize(prepared) }
    sqlite3_busy_timeout(handle, 5000)
    try #require(sqlite3_prepare_v2(handle, statement, -1, &prepared, nil) == SQLITE_OK)
    let status = sqlite3_step(prepared)
    try #require(status == SQLITE_ROW || status == SQLITE_DONE)
    return status == SQLITE_ROW ? sqlite3_column_int64(prepared, 0) : 0
  }

  func activeSessions(of name: Username) throws -> Int64 {
    try number(
      "SELECT count(*) FROM sessions WHERE ended_reason IS NULL AND account = (SELECT id FROM accounts WHERE name = '\(name)')"
    )
  }
}

/// A database whose locks of rows are left out.
private final class Unlocked: Database {
  private let base: PostgresDatabase

  init(_ base: PostgresDatabase) { self.base = base }

  var clock: any SessionClock { base.clock }
  var patience: Duration { base.patience }

  func read<Result: Sendable>(
    _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result { try base.read(body) }

  func write<Result: Sendable>(
    _ scope: WriteScope, preparing queries: [String], _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try base.write(scope, preparing: queries) { (db) throws(BackendError) in try body(UnlockedTransaction(db)) }
  }

  func removeTraces() throws(BackendError) {}
  func changes() throws(BackendError) -> any ChangeSource { base.changes() }
}

private final class UnlockedTransaction: Transaction {
  private let base: any Transaction

  init(_ base: any Transaction) { self.base = base }

  func now() throws(BackendError) -> BootInstant { try base.now() }
  var wallTime: WallTime { base.wallTime }
  func eventNumber() throws(BackendError) -> Int64 { try base.eventNumber() }
  func lock(_ lock: Lock) throws(BackendError) {}
  func run(_ sql: String, _ values: [SQLValue]) throws(BackendError) { try base.run(sql, values) }
  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int { try base.step(sql, values, wantsMore) }
  func damaged(_ detail: String) -> BackendError { base.damaged(detail) }
}
