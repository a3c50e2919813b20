import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Foundation
import Glibc
import Programs
import Services
import Testing

@testable import AuthService

/// What one user of the machine does to the service, and what another one notices of it.
///
/// In `make test` some attacks are on one of the databases, in `make test-all` all on both.
@Suite(
  "A service under attack", .serialized, .enabled(if: Victim.isPossible, "needs root, for other users"),
  .timeLimit(.minutes(10)))
struct AttackTests {
  enum Engine: CaseIterable {
    case sqlite, postgres

    /// Those that this computer has.
    static let all: [Engine] = RunningService.hasPostgres ? [.sqlite, .postgres] : [.sqlite]

    /// The same; in `make test` only SQLite, whose services start at once, and after it in
    /// `.ci/run` (`TESTED`) only the other one.
    static let available: [Engine] =
      !Effort.isComplete
      ? [.sqlite] : ProcessInfo.processInfo.environment["TESTED"] == nil ? all : all.filter { $0 != .sqlite }
  }

  /// For what `make test` has no time for.
  static let longer = ConditionTrait.enabled(if: Effort.isComplete, "make test-all measures it")

  /// A service with the administrator alice, with bob, and from account 3 on those who attack.
  func service(
    _ engine: Engine = .sqlite, options: [String] = [], attackers: [String] = ["mallory"]
  ) async throws -> RunningService {
    let users = ["alice", "bob"] + attackers
    guard engine == .postgres else { return try RunningService(users, options: options) }
    let site = try await PostgresSite("attacked")
    try await site.install()
    let service = try RunningService(postgres: site.address, options: options)
    let client = try service.client()
    _ = try client.ask(Operations.setRegistration, .open, try client.logIn("alice"))
    for name in users.dropFirst() {
      _ = try client.ask(Operations.register, name, Secret(RunningService.password), nil)
    }
    return service
  }

  /// Sends requests on so many connections for as long as an attack goes on, without a pause
  /// between the requests of one.
  private static func flood(
    _ count: Int, _ request: () -> Request, _ goesOn: () -> Bool, _ connect: () throws -> ServiceClient
  ) {
    var clients: [ServiceClient] = []
    while goesOn() {
      // A connection that is refused or was closed is tried again.
      while clients.count < count, goesOn(), let client = try? connect() { clients.append(client) }
      clients.removeAll { client in (try? (0..<16).forEach { _ in try client.send(request()) }) == nil }
      // The answers to the last requests need not come.
      clients.removeAll { client in (try? (0..<16).forEach { _ in if goesOn() { _ = try client.answer() } }) == nil }
    }
  }

  /// Runs statements on the database of a service; the account of the first attacker is 3.
  static func fill(_ service: RunningService, _ engine: Engine, _ statements: [String]) async throws {
    switch engine {
    case .sqlite:
      service.end()
      let database = LocalAuthority(directory: service.data, cost: .least).rules.database
      try database.write(.everything) { (db) throws(BackendError) in for part in statements { try db.run(part, []) } }
      try service.start()
    case .postgres:
      try await PostgresSite.run(
        "psql -qv ON_ERROR_STOP=1 -c \"SET search_path = auth; \(statements.joined(separator: ";"))\" attacked")
    }
  }

  @Test("searches through many receipts hold up nobody else", arguments: Engine.available)
  func searching(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    try await Self.fill(
      service, engine,
      [
        """
        INSERT INTO transfers(id, payer, payee, amount, made_at)
          WITH RECURSIVE n(i) AS (SELECT 1000001 UNION ALL SELECT i + 1 FROM n WHERE i < 1100000)
          SELECT i, 3, 1, 1, i FROM n
        """,
        "INSERT INTO entries(account, transfer, amount) SELECT 3, id, -1 FROM transfers WHERE id > 1000000",
      ])
    let mallory = try service.client().logIn("mallory")
    // So many users could occupy all threads: one user gets a quarter, and at least one thread.
    try Victim(of: service).expectUnharmed(beside: engine == .sqlite ? 2 : 4) { number, goesOn in
      Self.flood(16, { Operations.receipts(Page(matching: "nothing like it"), mallory) }, goesOn) {
        try ServiceClient(asUser: Attack.user + uid_t(number), path)
      }
    }
  }

  @Test(
    "loops that connect and hang up keep nobody else from being served", longer, arguments: Engine.all)
  func connecting(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    try Victim(of: service).expectUnharmed(beside: 4, fromServiceUser: true) { _, goesOn in
      let address = try #require(sockaddr_un(path: path))
      // It waits for its place, as a script does: a loop that spins only uses up the processors.
      // It ends where nobody accepts.
      var patience = timeval(tv_sec: 0, tv_usec: 100_000)
      while goesOn() {
        let attempt = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        setsockopt(attempt, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        _ = address.withPointer { connect(attempt, $0, $1) }
        close(attempt)
      }
    }
  }

  @Test(
    "requests that are refused as fast as they are sent keep nobody else from being served",
    arguments: Engine.available)
  func refusedRequests(_ engine: Engine) async throws {
    let service = try await service(engine, options: ["--requests-per-user", "1"])
    let path = service.socket
    let requests = try (1...1_600).flatMap {
      try ClientFrame.request($0, try Operations.checkForLogins().body(.plain)).encoded()
    }
    try Victim(of: service).expectUnharmed(fromServiceUser: true) { _, goesOn in
      var clients = try (0..<40).map { _ in
        (try #require(connectedSocket(to: path)), try ClientFrame.hello.encoded()[...])
      }
      defer { for (client, _) in clients { close(client) } }
      var answers = [UInt8](repeating: 0, count: 1 << 16)
      while goesOn() {
        for (index, (client, unsent)) in clients.enumerated() {
          let count = unsent.withUnsafeBytes {
            send(client, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
          }
          if count > 0 { clients[index].1 = count < unsent.count ? unsent.dropFirst(count) : requests[...] }
          while recv(client, &answers, answers.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) > 0 {}
        }
        // It waits for its place: a loop that spins only uses up the processors.
        poll(nil, 0, 50)
      }
    }
  }

  @Test("text that takes seconds to compare keeps nobody else from being served")
  func comparing() throws {
    let service = try RunningService()
    // The end of a session for a reason with combining marks, in the wrong order.
    let marks = "a" + String(repeating: "\u{323}\u{301}", count: 15_000)
    let body = WireWriter(for: .plain).put(ServiceClient.token(), marks)
    let head = try ClientFrame.request(1, WireBody([Operations.revoke.number.rawValue])).encoded().dropFirst(4)
    let request = Frames.framed(Array(head) + (try body.frame.dropFirst(4)))
    try Victim(of: service).expectUnharmed(beside: 2, fromServiceUser: true) { _, goesOn in
      while goesOn() {
        guard let client = try? service.client(), (try? client.send(request)) != nil else { continue }
        _ = try? client.next()
      }
    }
  }

  @Test(
    "two users who take all places for connections and passwords leave some to a third one",
    arguments: Engine.available)
  func places(_ engine: Engine) async throws {
    let service = try await service(engine, options: ["--connections", "28", "--connections-per-user", "14"])
    let path = service.socket
    try Victim(of: service).expectUnharmed(beside: 2) { number, goesOn in
      Self.flood(14, { ServiceClient.login("mallory") }, goesOn) {
        try ServiceClient(asUser: number == 0 ? Attack.user : 12_345, path)
      }
    }
  }

  @Test("a user who tried many names waits, whether they exist or not, and another user does not")
  func names() async throws {
    let service = try await service(options: ["--names-per-user", "3", "--failures-per-user", "2"])
    let (client, other) = (try service.client(), try ServiceClient(asUser: 12_345, service.socket))
    let token = try client.logIn("alice")
    _ = try client.ask(Operations.setRegistration, .open, token)
    func code(_ client: ServiceClient, _ request: Request) throws -> String? {
      try client.send(request)
      return try client.refusal()?.code
    }
    let account = { Operations.register($0, Secret(RunningService.password), nil) }
    #expect(try code(client, Operations.checkUsername("bob")) == "username_taken")
    for name in ["carol", "dave"] { #expect(try code(client, account(name)) == nil) }
    for request in [Operations.checkUsername("bob"), Operations.checkUsername("nobody"), account("eve")] {
      #expect(try code(client, request) == "service_busy")
    }
    let wrong = RecoveryCode(typed: Array("00000-00000-00000-00000-00000".utf8))
    let recovery = { Operations.recover($0, wrong, Secret(RunningService.password)) }
    #expect(try code(client, ServiceClient.login("bob", "wrong")) == "credentials_not_accepted")
    #expect(try code(client, recovery("nobody")) == "credentials_not_accepted")
    for name in ["mallory", "nobody"] {
      for request in [ServiceClient.login(name), recovery(name)] {
        #expect(try code(client, request) == "service_busy")
      }
    }
    #expect(try code(other, account("eve")) == nil && code(other, ServiceClient.login("mallory")) == nil)
    #expect(try client.lookUp(token) != nil)
    #expect(service.logs("notice refused reason=service_busy"))
  }

  @Test("changes of everything that are refused do not hold up payments", longer, arguments: Engine.all)
  func refusedChanges(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    let member = try service.client().logIn("mallory")
    let client = try ServiceClient(asUser: 12_345, path)
    let (bob, order) = (try client.logIn("bob"), try PaymentOrder("0.01", to: "alice"))
    let pay = { _ = try client.pay(order, bob) }
    try Victim(of: service).expectUnharmed(and: [("payment", pay)]) { _, goesOn in
      var number = 0
      Self.flood(
        16,
        {
          number += 1
          return switch number % 3 {
          case 0: Operations.endAllSessions(ServiceClient.token())
          case 1: Operations.setRegistration(.open, member)
          default: Operations.deleteOwnAccount(member)
          }
        }, goesOn
      ) { try ServiceClient(asUser: Attack.user, path) }
    }
  }

  @Test(
    "changes without end, and refusals that leave events, hold up nobody else",
    longer, arguments: Engine.all)
  func filling(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    let mallory = try service.client().logIn("mallory")
    let order = try PaymentOrder("0.01", to: "alice")
    let start = ContinuousClock.now
    try Victim(of: service).expectUnharmed { _, goesOn in
      var number = 0
      Self.flood(
        16,
        {
          number += 1
          return switch number % 3 {
          case 0: Operations.rename("Mallory \(number)", mallory)
          case 1: Operations.pay(order, mallory)
          default: Operations.setRegistration(.open, mallory)
          }
        }, goesOn
      ) { try ServiceClient(asUser: Attack.user, path) }
    }
    // Sixteen, and sixteen a minute.
    let client = try service.client()
    let refusals = Page(matching: "authz_fail", limit: 50)
    let most = 16 + 16 * ((ContinuousClock.now - start) / .seconds(60))
    let events = try client.ask(Operations.allEvents, .everyone, refusals, try client.logIn("alice"))
    #expect(events.count >= 16 && Double(events.count) <= most, "\(events.count) of \(most)")
  }

  @Test(
    "subscriptions by the hundred delay neither the notices of others nor health",
    longer, arguments: Engine.all)
  func subscriptions(_ engine: Engine) async throws {
    let service = try await service(engine)
    let path = service.socket
    let (client, witness) = (try ServiceClient(asUser: 12_345, path), try ServiceClient(asUser: 12_345, path))
    let (bob, mallory) = (try client.logIn("bob"), try service.client().logIn("mallory"))
    try witness.send(.subscribe(1, bob))
    _ = try witness.answer(1)
    let subscribers = try (0..<400).map { _ in
      let subscriber = try service.client()
      try subscriber.send(.subscribe(1, mallory))
      _ = try subscriber.answer(1)
      return subscriber
    }
    let notice = {
      _ = try client.ask(Operations.rename, "Bob", bob)
      try #require(try witness.isNotified())
    }
    try Attack.expect(unharmed: [("notice", notice), Attack.health(of: service, besideServiceUser: true)]) {
      _, goesOn in
      let attacker = try ServiceClient(path)
      // Its own subscriptions may leave no place for it.
      while goesOn() {
        try attacker.send(Operations.rename("Mallory", mallory))
        _ = try attacker.answer()
      }
    }
    withExtendedLifetime(subscribers) {}
  }
}
