import AuthCore
import AuthCoreTesting
import Glibc
import Testing

@testable import AuthOAuth

/// The port to which a browser returns, and other programs of this machine that connect to it.
@Suite(.timeLimit(.minutes(10))) struct LoopbackListenerTests {
  private let served: Served

  init() throws { served = try Served() }

  /// A listener, and the login that it waits for.
  private final class Served {
    private struct NoServer: Error {}

    let listener: LoopbackListener
    let authority = OAuthAuthority(
      server: OAuthServer(
        issuer: "https://id.example", endpoints: [.authorization: "https://id.example/auth"],
        send: { _ in throw NoServer() }), clientID: "cli", clock: ManualClock())

    init() throws { listener = try LoopbackListener(title: "<app>") }

    var port: Int { listener.address.firstMatch(of: /:(\d+)\/$/).flatMap { Int($0.1) } ?? 0 }

    /// A program that connects to the port.
    func connect() throws -> Int32 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = in_port_t(port).bigEndian
      place.sin_addr.s_addr = inet_addr("127.0.0.1")
      let result = withUnsafeBytes(of: &place) { bytes in
        Glibc.connect(
          descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
          socklen_t(MemoryLayout<sockaddr_in>.size))
      }
      try #require(result == 0)
      return descriptor
    }

    /// Lets the listener look at all connections once.
    func work() throws -> Credentials? {
      try listener.answer(listener.descriptors) { address throws(OAuthError) in
        try authority.credentials(from: address)
      }
    }

    /// Lets the listener work until the client has an answer or is disconnected.
    func answer(to client: Int32) throws -> (credentials: Credentials?, status: String) {
      var credentials: Credentials?
      while true {
        var events = (listener.descriptors + [client]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        try #require(poll(&events, nfds_t(events.count), 60_000) > 0)
        if events.last?.revents != 0 {
          var buffer = [UInt8](repeating: 0, count: 4096)
          let count = max(0, read(client, &buffer, buffer.count))
          return (credentials, String(decoding: buffer[..<count].prefix { $0 != 13 }, as: UTF8.self))
        }
        credentials = try work() ?? credentials
      }
    }

    /// Begins a login, and returns the request of the browser at its end.
    func request(query: String = "code=c") throws -> String {
      let url = try authority.authorizationURL(redirectURI: listener.address)
      let state = try #require(url.firstMatch(of: /state=([^&]*)/)?.1)
      return "GET /?\(query)&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    }
  }

  private func send(_ text: String, to client: Int32) {
    let bytes = Array(text.utf8)
    #expect(Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  @Test("of all requests only the one that answers the login is accepted, and only once")
  func others() throws {
    let right = try served.request()
    for other in [
      "GET / HTTP/1.1\r\n\r\n", "GET /favicon.ico HTTP/1.1\r\n\r\n", "GET /?code=c&state=other HTTP/1.1\r\n\r\n",
      right.replacing("GET", with: "POST"), right.replacing("GET /", with: "GET //"),
      right.replacing("GET /", with: "GET http://127.0.0.1/"), right.replacing("/?", with: "/other?"),
      "hello\r\n\r\n", "\r\n\r\n", "GET /\u{1B}[2J HTTP/1.1\r\n\r\n",
    ] {
      let client = try served.connect()
      defer { close(client) }
      send(other, to: client)
      let (credentials, status) = try served.answer(to: client)
      #expect(credentials == nil && status == "HTTP/1.1 404 Not Found", "\(other)")
    }
    for (status, isAccepted) in [("HTTP/1.1 200 OK", true), ("HTTP/1.1 404 Not Found", false)] {
      let client = try served.connect()
      defer { close(client) }
      send(right, to: client)
      let answer = try served.answer(to: client)
      #expect(answer.status == status && (answer.credentials != nil) == isAccepted)
    }
  }

  @Test("clients that are silent, slow or too many, or never end their request, do not keep out the browser")
  func slow() throws {
    let right = try served.request()
    var others: [Int32] = []
    defer { for other in others { close(other) } }
    for number in 0..<100 {
      others.append(try served.connect())
      if number.isMultiple(of: 2) { send("GET /?co", to: others[number]) }
      // The backlog of the listener is shorter.
      if number.isMultiple(of: 20) { _ = try served.work() }
    }
    let endless = try served.connect()
    defer { close(endless) }
    send("GET /?" + String(repeating: "a", count: 70_000), to: endless)
    #expect(try served.answer(to: endless).credentials == nil)
    let browser = try served.connect()
    defer { close(browser) }
    for byte in right.utf8.dropLast() { send(String(UnicodeScalar(byte)), to: browser) }
    _ = try served.work()
    send("\n", to: browser)
    let (credentials, status) = try served.answer(to: browser)
    #expect(credentials != nil && status == "HTTP/1.1 200 OK")
  }

  @Test("a login that the user refused ends the wait")
  func denied() throws {
    let client = try served.connect()
    defer { close(client) }
    send(try served.request(query: "error=access_denied"), to: client)
    #expect(throws: OAuthError.rejected(.denied)) { try served.answer(to: client) }
  }

  @Test("logins at the same moment have a free port each, at the literal address of this machine")
  func freePorts() throws {
    let addresses = try [served, Served()].map { $0.listener.address }
    #expect(addresses[0] != addresses[1])
    #expect(addresses.allSatisfy { $0.hasPrefix("http://127.0.0.1:") })
  }

  @Test("an app awaits the browser, which gets a page with the escaped name of the app")
  func awaited() async throws {
    let (listener, authority) = (served.listener, served.authority)
    let right = try served.request()
    let waiting = Task { try await listener.credentials(for: authority) }
    let client = try served.connect()
    defer { close(client) }
    send(right, to: client)
    _ = try await waiting.value
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = max(0, read(client, &buffer, buffer.count))
    let answer = String(decoding: buffer[..<count], as: UTF8.self)
    #expect(answer.contains("<title>&lt;app&gt;</title>") && answer.contains("continues in the app."))
  }

  @Test("a port that another program has is said, and one that is out of range is none", arguments: [true, false])
  func unusable(isTaken: Bool) throws {
    let port = isTaken ? served.port : 70_000
    let failure = #expect(throws: OAuthError.self) { try LoopbackListener(port: port, title: "app") }
    guard case .unavailable(let cause)? = failure else { throw try #require(failure) }
    #expect(cause.code == "redirect_port_unusable" && cause.values.first == "port \(port)")
  }

  @Test("a login whose browser does not return ends at its limit, and when it is cancelled")
  func gaveUp() async throws {
    let (listener, authority) = (served.listener, served.authority)
    await #expect(throws: OAuthError.self) { try await listener.credentials(for: authority, timeLimit: .zero) }
    let waiting = Task { try await listener.credentials(for: authority) }
    waiting.cancel()
    await #expect(throws: OAuthError.loginCancelled) { try await waiting.value }
  }
}
