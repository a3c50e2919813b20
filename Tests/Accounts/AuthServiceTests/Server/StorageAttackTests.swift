import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import ConcurrencyKit
import Foundation
import Glibc
import Programs
import Services
import Testing

@testable import AuthServer
@testable import AuthService

/// What a member stored, or an operator removes: it holds up nobody else, however much there is.
extension AttackTests {
  /// An account for each attempt to measure, because an account is deleted once.
  private static let attackers = ["mallory", "mallet", "marvin"]

  @Test(
    "sessions without end, their lists and their ends hold up nobody else", longer, arguments: Engine.all)
  func sessions(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    // As many as an account may have, before anything is measured.
    let client = try service.client()
    for _ in 0..<SessionBounds.live + SessionBounds.ended { _ = try client.logIn("mallory") }
    try Victim(of: service).expectUnharmed(beside: 4) { number, goesOn in
      let client = try ServiceClient(asUser: Attack.user, path)
      while goesOn() {
        let token = try client.logIn("mallory")
        // Where others log in and end all beside this, it may have ended.
        for _ in 0..<16 where goesOn() {
          switch number {
          case 0: _ = try? client.ask(Operations.sessions, SessionsPage(limit: 50), token)
          default: _ = try client.logIn("mallory")
          }
        }
        if number == 1 { _ = try? client.ask(Operations.endAllSessions, token) }
      }
    }
  }

  @Test(
    "the deletion of an account with many payments holds up nobody else",
    longer, arguments: Engine.all)
  func deletion(_ engine: Engine) async throws {
    let service = try await service(engine, attackers: Self.attackers)
    let path = service.socket
    let key = engine == .sqlite ? "printf('k%07d', i)" : "'k' || lpad(CAST(i AS text), 7, '0')"
    let count = 50_000
    try await Self.fill(
      service, engine,
      [
        """
        INSERT INTO transfers(id, payer, payee, amount, key, made_at)
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(3 * count - 1))
          SELECT 1000000 + i, 3 + i / \(count), 1, 1, \(key), i FROM n
        """,
        "INSERT INTO entries(account, transfer, amount) SELECT payer, id, -1 FROM transfers WHERE id >= 1000000",
        "UPDATE ledger_accounts SET balance = 0 WHERE id >= 3",
      ])
    let attempt = Locked(0)
    try Victim(of: service).expectUnharmed(once: true) { _, _ in
      let client = try ServiceClient(asUser: Attack.user, path)
      let name = attempt.withLock { number in
        defer { number += 1 }
        return Self.attackers[number]
      }
      let token = try client.logIn(name)
      try client.ask(Operations.deleteOwnAccount, token)
      #expect(try client.lookUp(token) == nil)
      // The service erases the keys meanwhile, and looks for such work in each period.
      let end = ContinuousClock.now + Housekeeping.period + .seconds(2)
      while ContinuousClock.now < end { poll(nil, 0, 100) }
    }
    // It erased more than the piece that the request itself erased.
    let most = count - Rules.erasurePiece
    switch engine {
    case .sqlite:
      service.end()
      let database = LocalAuthority(directory: service.data, cost: .least).rules.database
      let left = try database.write(.everything) { (db) throws(BackendError) in
        try db.step("UPDATE transfers SET key = NULL WHERE payer = 3 AND key IS NOT NULL", []) {
          (_) throws(BackendError) in false
        }
      }
      #expect(left < most)
    case .postgres:
      try await PostgresSite.run(
        "[[ $(psql -Atc 'SELECT count(key) FROM auth.transfers WHERE payer = 3' attacked) -lt \(most) ]]")
    }
  }

  @Test(
    "an archive of many events holds up nobody", longer, arguments: Engine.all)
  func archive(_ engine: Engine) async throws {
    let service = try await service(engine)
    // For each attempt to measure, events that are a month older than those of the next one.
    let count = 60_000
    let start = Date().addingTimeInterval(-100 * 86_400)
    let month = Int64(30 * 86_400) * 1_000_000
    try await Self.fill(
      service, engine,
      [
        """
        INSERT INTO events(at, name, account)
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(3 * count - 1))
          SELECT \(Int64(start.timeIntervalSince1970) * 1_000_000) + i / \(count) * \(month) + i, 'user_updated', 3
          FROM n
        """
      ])
    let (folder, operators) = (service.folder, service.operators)
    let attempt = Locked(0)
    try Victim(of: service).expectUnharmed(once: true) { _, _ in
      let number = attempt.withLock { number in
        defer { number += 1 }
        return number
      }
      let words = [
        "events", "archive", "--before", "\(90 - 30 * number)d", "\(folder)/events.\(number)", "--operators", operators,
      ]
      let outcome = try Program(RunningService.executable, words, timeLimit: .seconds(300)).runBlocking()
      guard outcome.ending == .exited(0), outcome.text.contains("Archived \(count) events") else {
        throw Victim.Failure(command: "archive", text: outcome.text)
      }
    }
  }

  @Test(
    "a thousand connections whose answers nobody reads hold up nobody else",
    longer, arguments: Engine.all)
  func unread(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    let client = try service.client()
    let mallory = try client.logIn("mallory")
    for number in 0..<50 { _ = try client.ask(Operations.rename, "Mallory \(number)", mallory) }
    let page = Operations.events(.own, Page(limit: 50), mallory)
    let requests = try (1...64).flatMap { try ClientFrame.request($0, page.body(.plain)).encoded() }
    let bytes = try ClientFrame.hello.encoded() + requests
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let count = min(1000, Int(limit.rlim_cur) - 200)
    // Without `health`, by which the service asks itself as its own user, who attacks here.
    try Attack.expect(unharmed: Victim(of: service).commands) { _, goesOn in
      var clients: [Int32] = []
      defer { for client in clients { close(client) } }
      while goesOn() {
        // The service closes those that do not read.
        clients.removeAll { client in
          var event = pollfd(fd: client, events: 0, revents: 0)
          guard poll(&event, 1, 0) > 0, event.revents & Int16(POLLHUP) != 0 else { return false }
          close(client)
          return true
        }
        while clients.count < count, goesOn(), let client = connectedSocket(to: path) {
          clients.append(client)
          _ = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
        }
        poll(nil, 0, 50)
      }
    }
  }

  @Test(
    "the measurement notices who is held up again and again, and who is once",
    longer, .enabled(if: RunningService.hasPostgres, "needs PostgreSQL"), arguments: [false, true])
  func control(_ once: Bool) async throws {
    let service = try await service(.postgres)
    let address = try #require(service.postgres)
    let pay = try #require(try Victim(of: service).commands.first { $0.name.hasPrefix("pay") })
    let usual = try (0..<5).map { _ in try ContinuousClock().measure(pay.body) }.sorted()[2]
    let held = try Attack.heldUp([pay], once: once, attempts: 1) { _, goesOn in
      repeat {
        let statements = """
          BEGIN; LOCK TABLE auth.transfers IN EXCLUSIVE MODE; SELECT pg_sleep(\(usual * 25 / .seconds(1))); COMMIT
          """
        let outcome = try Program("psql", ["-Xqc", statements, address], timeLimit: .seconds(300)).runBlocking()
        guard outcome.ending == .exited(0) else { throw Victim.Failure(command: "psql", text: outcome.text) }
      } while !once && goesOn()
    }
    #expect(held.count == 1)
  }
}
