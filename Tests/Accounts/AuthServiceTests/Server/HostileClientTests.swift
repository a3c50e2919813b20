import AuthAccounts
import AuthCore
import Glibc
import Programs
import Services
import Testing

@testable import AuthService

@Suite("Clients that misbehave", .timeLimit(.minutes(10)))
struct HostileClientTests {
  @Test("invalid bytes end the connection that sent them, with a reason, and no other")
  func garbage() throws {
    let service = try RunningService()
    let other = try service.client()
    let tokens = try other.logIn("alice")
    let hello = try ClientFrame.hello.encoded()
    let emptyLogin = Operations.logIn(
      .password(username: "alice", password: Secret(RunningService.password)), .standard,
      NewSession(token: SessionToken(bytes: []), label: nil, origin: nil))
    let request = try ClientFrame.request(1, Operations.lookUp(tokens).body(.plain)).encoded()
    let longToken = Operations.lookUp(SessionToken(bytes: [UInt8](repeating: 1, count: 33)))
    let cases: [(String, [UInt8])] = [
      ("no bytes", [0, 0, 0, 0]), ("too long", [0, 1, 0, 1]), ("much too long", [255, 255, 255, 255]),
      ("an unknown kind", [0, 0, 0, 1, 99]), ("a request before the hello", request),
      ("two hellos", hello + hello),
      ("two names", try named("a") + named("b")), ("a name after the hello", try hello + named("a")),
      (
        "a login under a token of no bytes", hello + (try ClientFrame.request(1, emptyLogin.body(.plain)).encoded())
      ),
      (
        "a token of 33 bytes",
        hello + (try ClientFrame.request(1, longToken.body(.plain)).encoded())
      ),
      ("a long name", [0, 0, 0, 38, 4, 0, 0, 0, 33] + Array(repeating: 97, count: 33)),
      ("half a request", hello + [0, 0, 0, 5] + request[4..<9]),
      ("HTTP", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
    ]
    for (name, bytes) in cases {
      let client = try ServiceClient(service.socket, greets: false)
      try client.send(bytes)
      #expect(try client.failure(Frames.unnumbered).code == "message_invalid", "\(name)")
      #expect(try client.next() == nil, "\(name)")
    }
    #expect(try other.lookUp(tokens) != nil, "the other client is not served")
    #expect(service.logs("reason=bad_frame uid=\(getuid())"))
  }

  private func named(_ name: String) throws -> [UInt8] { try ClientFrame.named(name).encoded() }

  private func client(_ service: RunningService, named name: String) throws -> ServiceClient {
    let client = try ServiceClient(service.socket, greets: false)
    try client.send(try named(name) + ClientFrame.hello.encoded())
    return client
  }

  @Test("a name takes a quarter of what its user may, in connections and in the queue, and the log has it")
  func names() throws {
    let service = try RunningService(options: ["--connections-per-user", "128", "--passwords-per-user", "32"])
    let held = try (0..<32).map { _ in try client(service, named: "carol") }
    // Its answer shows that a place was taken: two threads read names, not always in their order.
    for client in held { _ = try client.lookUp(ServiceClient.token()) }
    let refused = try client(service, named: "carol")
    #expect(try refused.failure(Frames.unnumbered).code == "service_busy" && refused.next() == nil)
    #expect(service.logs("reason=too_many_connections uid=\(getuid()) claimed_name=carol"))
    for client in held { for _ in 0..<16 { try client.send(ServiceClient.login("bob")) } }
    _ = try client(service, named: "dave").logIn("alice")
    let codes = try codes(of: held, 16)
    #expect(Set(codes.keys) == ["done", "service_busy"], "\(codes)")
  }

  /// How often each code came, or none, among so many answers to each client.
  private func codes(of clients: [ServiceClient], _ count: Int) throws -> [String: Int] {
    var codes: [String: Int] = [:]
    for client in clients {
      for _ in 0..<count { codes[try client.refusal()?.code ?? "done", default: 0] += 1 }
    }
    return codes
  }

  @Test("a client of another version gets the version of the service, and is not served")
  func otherVersion() throws {
    let service = try RunningService()
    let client = try ServiceClient(service.socket, greets: false)
    // Another version may say more.
    try client.send(Frames.framed([1, 0, UInt8(Frames.major) + 1, 9, 9, 9]))
    #expect(try client.next() == nil)
    #expect(service.logs("reason=other_version"))
  }

  @Test("a request for an impossibly long session ends the connection that sent it, and no other")
  func endlessSession() throws {
    let service = try RunningService()
    let client = try service.client()
    let login = WireWriter(for: .plain)
    login.byte(2)
    login.put(UInt32(1))
    login.byte(Operations.logIn.number.rawValue)
    login.put(
      "alice", RunningService.password, true, Int64.max, Int64.max, false, ServiceClient.token(), false, false)
    try client.send(try login.frame)
    #expect(try client.failure(Frames.unnumbered).code == "message_invalid")
    _ = try service.client().logIn("alice")
  }

  @Test("a caller cannot end a session for another's reason, and a token that had a session begins no other one")
  func usedTokens() throws {
    let service = try RunningService()
    let client = try service.client()
    let (ended, foreign) = (try client.logIn("bob"), try client.logIn("alice"))
    _ = try client.ask(Operations.revoke, ended, .accountDisabled)
    try client.send(Operations.resume(ended))
    #expect(try client.refusal()?.kind == .session(.ended(.userAsked)))
    for token in [ended, foreign] {
      let credentials = Credentials.password(username: "bob", password: Secret(RunningService.password))
      try client.send(Operations.logIn(credentials, .standard, NewSession(token: token, label: nil, origin: nil)))
      #expect(try client.refusal()?.code == "session_revoked")
    }
  }

  @Test("an absurd limit returns at most a page, and never stops the service")
  func numbers() throws {
    let service = try RunningService()
    let client = try service.client()
    let token = try client.logIn("alice")
    for _ in 0..<Frames.longestPage { _ = try client.logIn("alice") }
    for limit in [Int.min, -1, 0, 1, .max] {
      let page = Page(within: .all, before: limit < 0 ? .min : nil, limit: limit)
      for rows in [
        try client.ask(Operations.sessions, SessionsPage(limit: limit), token).count,
        try client.ask(Operations.receipts, page, token).count,
        try client.ask(Operations.allEvents, .everyone, page, token).count,
        try client.ask(Operations.accounts, AccountsQuery(limit: limit), token).count,
      ] {
        #expect(rows <= min(max(0, limit), Frames.longestPage), "\(limit): \(rows) rows")
        #expect((rows > 0) == (limit > 0), "\(limit): \(rows) rows")
      }
    }
    #expect(try client.lookUp(token) != nil, "the session ended")
  }

  @Test("thousands of connections that open and drop leave no descriptor and no memory behind")
  func connections() throws {
    let service = try RunningService()
    let client = try service.client()
    let token = try client.logIn("alice")
    func settle(to count: Int) throws {
      // Each request is a round through the threads that close what was dropped.
      var rounds = 0
      while service.sockets > count, rounds < 100_000 {
        _ = try client.ask(Operations.lookUp, token)
        rounds += 1
      }
    }
    let sockets = service.sockets
    let warmUp = try (0..<200).map { _ in try #require(connectedSocket(to: service.socket)) }
    for descriptor in warmUp { close(descriptor) }
    try settle(to: sockets)
    let memory = try service.memory("VmRSS")
    let half = try ClientFrame.hello.encoded().dropLast()
    for number in 0..<(Effort.isComplete ? 10_000 : 1_000) {
      let descriptor = try #require(connectedSocket(to: service.socket))
      // Some leave half a message.
      if number % 3 == 0 {
        _ = half.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      }
      close(descriptor)
    }
    try settle(to: sockets)
    #expect(service.sockets <= sockets)
    #expect(try service.memory("VmRSS") < memory + 8 * 1024)
    #expect(try client.lookUp(token) != nil, "not served any more")
  }

  @Test(
    "one user who has all places for connections and passwords is told to wait, and another logs in meanwhile",
    .enabled(if: SetUser.isPossible))
  func users() throws {
    let service = try RunningService(
      options: ["--connections-per-user", "10", "--passwords-per-user", "4", "--hash-threads", "2"])
    let crowd = try (0..<10).map { _ in try service.client() }
    #expect(throws: ServiceClient.Failure.self) { try service.client() }
    let other = try ServiceClient(asUser: 12_345, service.socket)
    // Logged after the refusal was sent, and before the next connection was taken.
    #expect(service.logs("reason=too_many_connections"))
    for client in crowd { for _ in 0..<16 { try client.send(ServiceClient.login("bob")) } }
    _ = try other.logIn("alice")
    let codes = try codes(of: crowd, 16)
    #expect(Set(codes.keys) == ["done", "service_busy"] && codes["done", default: 0] >= 4, "\(codes)")
  }

  @Test("many logins at the same moment cost waiting and not memory, and other requests are answered meanwhile")
  func memory() throws {
    let service = try RunningService(
      options: ["--hash-threads", "2"], program: [LeastCost.products + "/auth-service"])
    let watcher = try service.client()
    let token = try watcher.logIn("alice")
    let count = Effort.isComplete ? 60 : 10
    let crowd = try (0..<count).map { _ in try service.client() }
    // Names without an account cost what others cost.
    for (index, client) in crowd.enumerated() { try client.send(ServiceClient.login("nobody\(index)")) }
    #expect(try watcher.lookUp(token) != nil, "not answered")
    #expect(try codes(of: crowd, 1) == ["credentials_not_accepted": count])
    // A hash takes 64 MiB, and two run.
    #expect(try service.memory("VmHWM") < (2 * 64 + 100) * 1024)
  }
}

/// Whether a test may run a program as another user.
enum SetUser {
  static let isPossible = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0
}
