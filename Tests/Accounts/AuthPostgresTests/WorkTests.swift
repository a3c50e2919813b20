import AuthAccounts
import AuthAccountsTesting
import AuthCore
import AuthRules
import AuthSQLite
import DatabaseFiles
import Programs
import Races
import Services
import Synchronization
import Testing

@testable import AuthPostgres

/// What one member may store makes no operation longer: not the member's own, and not those of
/// others, which wait for it where it locks something.
///
/// The work is counted, and no time is measured: on SQLite the instructions of the statements, on
/// PostgreSQL the rows that they fetch.
@Suite(.timeLimit(.minutes(10))) struct WorkTests {
  /// Every row that a member may make grow without a limit, so many times as much of it.
  private static let (small, large) = (2_100, 21_000)

  /// A database with alice, bob and carol, whose account is at its limits and has this many events
  /// and payments, and as many events concern no account.
  private func scene(_ engine: Engine, _ statistics: Statistics = .current, rows: Int) throws -> WorkScene {
    let scene = try WorkScene(engine)
    let rules = scene.rules
    try scene.backend.registerBoth()
    if statistics == .early { try scene.sql("ANALYZE") }
    for _ in 0..<SessionBounds.live { _ = try scene.backend.logIn("bob", bobPassword) }
    let bob = try scene.backend.logIn("bob", bobPassword).token
    _ = try rules.makeRecoveryCodes(token: bob)
    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
    let key = engine == .sqlite ? "printf('k%07d', i)" : "'k' || lpad(CAST(i AS text), 7, '0')"
    let receipt: Int64 = 1_000_000
    // SQLite continues after these numbers by itself, and PostgreSQL with a sequence.
    let (id, one, other) = engine == .sqlite ? ("id, ", "i, ", "i + 1000000, ") : ("", "", "")
    try scene.sql("INSERT INTO events(\(id)at, name, account) \(numbers) SELECT \(one)i, 'user_updated', 2 FROM n")
    try scene.sql("INSERT INTO events(\(id)at, name) \(numbers) SELECT \(other)i, 'authn_login_fail' FROM n")
    try scene.sql(
      """
      INSERT INTO transfers(id, payer, payee, amount, key, made_at) \(numbers)
      SELECT i + \(receipt), 2, 1, 1, \(key), i FROM n
      """)
    try scene.sql("INSERT INTO entries(account, transfer, amount) \(numbers) SELECT 2, i + \(receipt), -1 FROM n")
    try scene.sql("INSERT INTO entries(account, transfer, amount) \(numbers) SELECT 1, i + \(receipt), 1 FROM n")
    if statistics == .current { try scene.sql("ANALYZE") }
    return scene
  }

  /// The operations whose work is counted, each as its own user would do it; what ends a session
  /// comes last.
  private func work(_ scene: WorkScene) throws -> [(name: String, count: Int)] {
    let (backend, rules) = (scene.backend, scene.rules)
    var counts: [(String, Int)] = []
    func note(_ name: String, _ body: () throws -> Void) rethrows { counts.append((name, try scene.count(body))) }
    let alice = try backend.logIn().token
    scene.passTime()
    let bob = try backend.logIn("bob", bobPassword).token
    try note("log in") { _ = try backend.logIn("bob", bobPassword) }
    note("fail to log in") { _ = code { try backend.logIn("bob", wrongPassword) } }
    note("fail to log in under an invented name") { _ = code { try backend.logIn("invented", wrongPassword) } }
    try note("reauthenticate") { _ = try backend.reauthenticate(bob, password: bobPassword) }
    note("use an unknown token") { _ = code { try rules.profile(token: NewSession.random.token) } }
    try note("look up") { _ = try rules.perform(Operations.lookUp, on: bob) }
    try note("renew") { _ = try rules.perform(Operations.renew, on: bob) }
    try note("rename") { _ = try rules.rename(to: "Bob", token: bob) }
    try note("pay") { _ = try rules.pay(try PaymentOrder("0.01", to: "alice", key: "new"), token: bob) }
    try note("pay again") { _ = try rules.pay(try PaymentOrder("0.01", to: "alice", key: "new"), token: bob) }
    try note("be paid") { _ = try rules.pay(try PaymentOrder("0.01", to: "bob"), token: alice) }
    try note("receipts") { _ = try rules.receipts(Page(limit: 50), token: bob) }
    try note("events") { _ = try rules.events(.own, Page(limit: 50), token: bob) }
    try note("events of another user") { _ = try rules.events(.own, Page(limit: 50), token: alice) }
    try note("receipts of another user") { _ = try rules.receipts(Page(limit: 50), token: alice) }
    try note("all events") { _ = try rules.events(.everyone, Page(limit: 50), token: alice) }
    try note("sessions") { _ = try rules.sessions(token: bob) }
    try note("end a session") {
      let last = try rules.sessions(token: bob).last
      try rules.revokeSession(try #require(last).id, token: bob)
    }
    try note("make recovery codes") { _ = try rules.makeRecoveryCodes(token: bob) }
    try note("two-step") { _ = try rules.beginTwoStep(token: bob) }
    try note("accounts") { _ = try rules.accounts(AccountsQuery(limit: 50), token: alice) }
    let name = try Username("bob")
    let group = try GroupName("release")
    for number in 2...GroupPolicy.groupsOfAccount {
      try rules.setMembership(true, of: [name], in: try GroupName("group-\(number)"), token: alice)
    }
    try note("join a group") { try rules.setMembership(true, of: [name], in: group, token: alice) }
    try note("groups") { _ = try rules.groups(GroupPage(limit: 50), token: alice) }
    try note("members") { _ = try rules.members(of: group, GroupPage(limit: 50), token: alice) }
    try note("own groups") { _ = try rules.groups(token: bob) }
    for _ in 0..<ProofPolicy.outstanding { _ = try rules.prove(to: try Username("alice"), token: bob) }
    var proof = ToolProof(typed: [])
    try note("prove") { proof = try rules.prove(to: try Username("alice"), token: bob) }
    try note("verify") { _ = try rules.verify(proof, token: alice) }
    try note("account") { _ = try rules.account(named: name, token: alice) }
    try note("promote") { _ = try rules.setRole(.administrator, account: name, token: alice) }
    try note("demote") { _ = try rules.setRole(.member, account: name, token: alice) }
    try note("unlock") { _ = try rules.unlock(account: name, token: alice) }
    try note("reset the password") { _ = try rules.resetPassword(of: name, token: alice) }
    try note("change the password") {
      _ = try backend.changePassword(from: bobPassword, to: newPassword, token: bob)
    }
    for _ in 0..<SessionBounds.live { _ = try backend.logIn("bob", newPassword) }
    try note("disable") { _ = try rules.setDisabled(true, account: name, token: alice) }
    _ = try rules.setDisabled(false, account: name, token: alice)
    for _ in 0..<SessionBounds.live { _ = try backend.logIn("bob", newPassword) }
    let last = try backend.logIn("bob", newPassword).token
    try note("end all sessions") { _ = try rules.endAllSessions(token: last) }
    for _ in 0..<SessionBounds.live { _ = try backend.logIn("bob", newPassword) }
    let own = try backend.logIn("bob", newPassword).token
    try scene.sql("UPDATE ledger_accounts SET balance = 0 WHERE id = 2")
    try note("delete the account") { try rules.deleteAccount(token: own) }
    try note("erase a piece") { _ = try rules.erasePiece() }
    return counts
  }

  /// What a database may know of its rows.
  ///
  /// A server analyses its tables whenever it wants. Nothing analyses an SQLite database, unless
  /// its operator does. In `make test` all of them are current.
  private static let statistics: [(Engine, Statistics)] = Engine.possible.flatMap { engine in
    let all = Statistics.allCases.filter { engine == .postgres || $0 != .early }
    return (Effort.isComplete ? all : [.current]).map { (engine, $0) }
  }

  @Test(
    "ten times as many payments and events make no operation longer, whatever the statistics say",
    arguments: statistics)
  func growth(engine: Engine, statistics: Statistics) async throws {
    try await onOwnThread {
      let few = try work(scene(engine, statistics, rows: Self.small))
      let many = try work(scene(engine, statistics, rows: Self.large))
      // A row takes a few tens of instructions; an index that is a level deeper changes little.
      let slack = engine == .sqlite ? 2_000 : 300
      for (small, large) in zip(few, many) {
        #expect(
          large.count <= small.count + small.count / 2 + slack, "\(small.name): \(small.count), then \(large.count)")
      }
      #expect(many.contains { $0.count > 0 })
    }
  }

  @Test("the count finds a statement that walks the rows of a member", arguments: Engine.possible)
  func control(engine: Engine) async throws {
    try await onOwnThread {
      let counts = try [Self.small, Self.large].map { rows in
        let scene = try scene(engine, rows: rows)
        return try scene.count { try scene.run("UPDATE events SET at = at WHERE account = 2 AND at < 0") }
      }
      #expect(counts[1] > counts[0] * 5, "\(counts)")
    }
  }

  @Test(
    "a failed login does the same work for an account and for an invented name, however many events there are",
    arguments: Engine.possible)
  func names(engine: Engine) async throws {
    try await onOwnThread {
      let scene = try scene(engine, rows: Self.large)
      func work(_ name: String) -> Int {
        scene.count { _ = code { try scene.backend.logIn(name, wrongPassword) } }
      }
      // The first failure of an invented name creates its counter.
      for name in ["bob", "invented"] { _ = work(name) }
      let (known, unknown) = (work("bob"), work("invented"))
      // A statement of one row may take a few more instructions than another; a walk takes 10,000.
      #expect(abs(known - unknown) < (engine == .sqlite ? 400 : 10), "\(known) and \(unknown)")
      let (first, second) = (work("other"), work("third"))
      #expect(abs(first - second) < 50 && abs(known - first) < (engine == .sqlite ? 500 : 10), "\(known) and \(first)")
    }
  }
}

/// A database whose work is counted.
private final class WorkScene {
  let backend: any RulesBackend
  var rules: Rules { backend.rules }
  private let rows: Counted?
  /// Runs a statement that may take long.
  let sql: (String) throws -> Void
  /// Moves the clock, so that the next session is newer than all before it; of sessions that began
  /// at one moment, any may be the oldest.
  let passTime: () -> Void
  /// What lives as long as the scene.
  private let owner: Any

  init(_ engine: Engine) throws {
    switch engine {
    case .sqlite:
      SQLiteWork.start()
      let work = Workspace(isShared: true)
      (backend, owner, rows) = (work.authority(), work, nil)
      sql = { try work.raw.run($0) }
      passTime = { work.advance(by: .seconds(1)) }
    case .postgres:
      let database = try RulesDatabase(isShared: true)
      try database.keepStatistics()
      let counted = Counted(database.authority.rules.database)
      (backend, owner, rows) = (PostgresAuthority(counted, isShared: true), database, counted)
      sql = { try database.sql($0) }
      passTime = {}  // The clock of this scene moves by itself.
    }
  }

  func count(_ body: () throws -> Void) rethrows -> Int {
    guard let rows else { return try SQLiteWork.count(body) }
    rows.fetched.withLock { $0 = 0 }
    try body()
    return rows.fetched.withLock(\.self)
  }

  /// Runs a statement of the rule book.
  func run(_ statement: String) throws {
    try rules.database.write(.rows) { (db) throws(BackendError) in
      _ = try db.step(statement, []) { (_) throws(BackendError) in false }
    }
  }
}

/// A PostgreSQL database that counts the rows that its transactions fetch.
private final class Counted: Database {
  private let base: any Database
  let fetched = Mutex(0)

  init(_ base: any Database) { self.base = base }

  var clock: any SessionClock { base.clock }
  func removeTraces() throws(BackendError) { try base.removeTraces() }

  func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try base.transaction(scope) { (db) throws(BackendError) in
      // What this connection has fetched, also before this transaction.
      let before = fetched(in: db)
      defer { fetched.withLock { $0 += max(0, fetched(in: db) - before) } }
      return try body(db)
    }
  }

  private func fetched(in db: any Transaction) -> Int {
    var count = 0
    // After a failure of the server there is nothing to read.
    _ = try? db.step(Self.query, []) { (row) throws(BackendError) in
      count = try row[0]
      return false
    }
    return count
  }

  private static let query = """
    SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_upd + n_tup_del), 0)::bigint
    FROM pg_stat_xact_user_tables WHERE schemaname = 'auth'
    """
}
