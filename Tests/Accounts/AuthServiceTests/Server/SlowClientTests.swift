import AuthAccounts
import AuthCore
import AuthRules
import Glibc
import Services
import Terminals
import Testing

@testable import AuthServer
@testable import AuthService

/// In this process, where the times that the service waits are short.
@Suite("Clients that are slow", .timeLimit(.minutes(10)))
struct SlowClientTests {
  private func server(
    _ change: (inout ServiceLimits) -> Void = { $0.frameTime = .milliseconds(300) }
  ) throws -> ServedRules {
    try ServedRules(try Workspace.inhabited(isShared: true).work.rules, change)
  }

  /// A client that has logged in.
  ///
  /// On a busy machine it may be too slow for the server itself, and then tries again.
  private func loggedIn(to server: ServedRules) throws -> (client: ServiceClient, token: SessionToken) {
    while true {
      do {
        let client = try ServiceClient(server.path)
        return (client, try client.logIn("alice"))
      } catch ServiceClient.Failure.closed {} catch ServiceFault.lost {}
    }
  }

  @Test("a password that waited too long in the queue is not hashed, and its client gets busy instead of unknown")
  func queue() throws {
    let server = try server { $0.hashTime = .zero }
    let client = try ServiceClient(server.path)
    try client.send(ServiceClient.login("alice"))
    #expect(try client.refusal()?.code == "service_busy")
  }

  @Test("silence and a slow message end the connection; an idle client stays connected")
  func silence() throws {
    let server = try server()
    let (idle, token) = try loggedIn(to: server)
    let closed = server.status.counts.refused["too_slow", default: 0]
    let silent = try ServiceClient(server.path, greets: false)
    #expect(try silent.next() == nil)
    let slow = try ServiceClient(server.path, greets: false)
    let request = try ClientFrame.request(1, try Operations.lookUp(token).body(.plain)).encoded()
    do { try slow.send(try ClientFrame.hello.encoded() + request.dropLast()) } catch ServiceFault.lost {}
    #expect(try slow.next() == nil)
    #expect(server.status.counts.refused["too_slow"] == closed + 2)
    #expect(try idle.lookUp(token) != nil, "an idle client was closed")
  }

  @Test("a client is not closed for what it sent in time, and the service reads later, as after it was stopped")
  func unread() throws {
    let rules = try Workspace.inhabited(isShared: true).work.rules
    var limits = ServiceLimits(databaseThreads: 1, hashThreads: 1)
    limits.frameTime = .zero
    // It is not started, so no worker reads.
    let server = AuthServer(
      rules, identity: "", listener: -1, limits: limits, pollInterval: .seconds(1), log: ServiceLog())
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let connection = Connection(ends[0], try #require(Peer(of: ends[0])), number: 1, of: server)
    defer { connection.close() }
    connection.open(.hello(ServiceHello(database: "", now: nil, policy: .standard)))
    #expect(connection.overdue(at: .now) == .tooSlow)
    try #require(send(ends[1], [0], 1, Int32(MSG_NOSIGNAL)) == 1)
    #expect(connection.overdue(at: .now) == nil)
    // Then the answers fill the socket, and the client reads them.
    while connection.overdue(at: .now) == nil { connection.respond(.changed) }
    #expect(connection.overdue(at: .now) == .notReading)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while recv(ends[1], &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    #expect(connection.overdue(at: .now) == nil)
  }

  @Test("a client that reads nothing is closed, and the answers that it left are not collected without end")
  func reading() throws {
    let server = try server()
    let (client, token) = try loggedIn(to: server)
    let (other, _) = try loggedIn(to: server)
    let page = Operations.events(.own, Page(within: .all, before: nil, limit: 50), token)
    // A full page of events, with fewer sessions than end the oldest one.
    for _ in 0..<60 { _ = try? other.logIn("alice") }
    // Until the service does not read any more either: both ends are full.
    var sent = 0
    while sent < 100_000, (try? client.send(page)) != nil { sent += 1 }
    #expect(sent < 100_000)
    #expect(server.status.counts.refused["not_reading"] == 1)
    #expect(try other.lookUp(token) != nil, "the other client is not served")
  }

  @Test("one user has a quarter of the threads that wait for the database, and leaves the others to others")
  func share() throws {
    let rules = try Workspace.inhabited(isShared: true).work.rules
    let server = try ServedRules(rules) { $0.databaseThreads = 8 }
    let clients = try (0..<16).map { _ in try ServiceClient(server.path) }
    let token = try clients[0].logIn("alice")
    // While this writes, no renaming can.
    try rules.database.write(.everything) { _ in
      for client in clients { _ = try? client.send(Operations.rename("Alice", token)) }
      #expect(
        Deadline(.seconds(60)).wait { server.status.requests.waiting == 14 && server.status.requests.running == 2 })
    }
    for client in clients { _ = try client.answer() }
  }

  @Test("a client that sends several requests gets one of them performed at a time, in their order")
  func oneAtATime() throws {
    let rules = try Workspace.inhabited(isShared: true).work.rules
    let server = try ServedRules(rules) { $0.databaseThreads = 16 }
    let client = try ServiceClient(server.path)
    let token = try client.logIn("alice")
    let names = (0..<4).map { "Alice \($0)" }
    // While this writes, no renaming can.
    try rules.database.write(.everything) { _ in
      for name in names { _ = try? client.send(Operations.rename(name, token)) }
      // Another connection's answer comes after this one was read.
      #expect((try? ServiceClient(server.path).ask(Operations.checkPassword, newPassword, "carol")) != nil)
      // One of four; the other three are not even in the queue.
      let isAlone = Deadline(.seconds(60)).wait {
        let load = server.status.requests
        return load.running == 1 && load.waiting == 0
      }
      #expect(isAlone)
    }
    let renamed = try names.map { _ in try Operations.rename.response(in: client.answer().get(), for: .plain) }
    #expect(renamed.map(\.?.user.displayName) == names)
  }

  @Test(
    "busy users divide those threads, and do not get as many each",
    .enabled(if: Victim.isPossible, "needs root, for other users"))
  func division() throws {
    let rules = try Workspace.inhabited(isShared: true).work.rules
    let server = try ServedRules(rules) { $0.databaseThreads = 8 }
    for path in [server.path, String(server.path.dropLast(2))] { try #require(chmod(path, 0o777) == 0) }
    let first = try (0..<2).map { _ in try ServiceClient(server.path) }
    let second = try (0..<2).map { _ in try ServiceClient(asUser: 12_345, server.path) }
    let third = try ServiceClient(asUser: 12_346, server.path)
    let token = try first[0].logIn("alice")
    // While this writes, no renaming can.
    try rules.database.write(.everything) { _ in
      for (clients, sum) in [(first, 2), (second, 4)] {
        for client in clients { _ = try? client.send(Operations.rename("Alice", token)) }
        // Both of the first user run before the second one sends any.
        let isReady = Deadline(.seconds(60)).wait {
          let load = server.status.requests
          return load.running >= 2 && load.running + load.waiting == sum
        }
        #expect(isReady)
      }
      // Its answer needs no database, and comes after the turn of the second user's other request.
      #expect((try? third.ask(Operations.checkPassword, Secret(RunningService.password), "carol")) != nil)
      #expect(server.status.requests.waiting == 1)
    }
    for client in first + second { _ = try client.answer() }
  }

  @Test("requests whose client hung up before they started are not performed")
  func leaving() throws {
    let rules = try Workspace.inhabited(isShared: true).work.rules
    let server = try ServedRules(rules) { $0.databaseThreads = 2 }
    let other = try ServiceClient(server.path)
    let token = try other.logIn("alice")
    var clients = try (0..<16).map { _ in try ServiceClient(server.path) }
    let order = PaymentOrder(amount: try Amount("1"), payee: try Username("bob"), key: nil)
    // While this writes, no payment can.
    try rules.database.write(.everything) { _ in
      for client in clients { _ = try? client.send(Operations.pay(order, token)) }
      #expect(Deadline(.seconds(60)).wait { server.status.requests.running + server.status.requests.waiting == 16 })
      clients = []
      #expect(Deadline(.seconds(60)).wait { server.status.connections == 1 })
    }
    #expect(try other.receipts(token).count <= 2)
  }
}
