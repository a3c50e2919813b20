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

    init(_ redirectURI: String = "http://127.0.0.1/", showing: LoopbackListener.Showing = .standard) throws {
      listener = try LoopbackListener(
        try #require(LoopbackAddress(redirectURI)), title: "<app>", place: "the app", showing: showing)
    }

    var port: Int { listener.address.firstMatch(of: /:(\d+)(?:\/|$)/).flatMap { Int($0.1) } ?? 0 }

    /// A program that connects to the port.
    func connect(isIPv6: Bool = false) throws -> Int32 {
      let descriptor = socket(
        isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      func isConnected<Address>(to place: Address) -> Bool {
        withUnsafeBytes(of: place) { bytes in
          let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
          return Glibc.connect(descriptor, address, socklen_t(MemoryLayout<Address>.size)) == 0
        }
      }
      var (place, place6) = (sockaddr_in(), sockaddr_in6())
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = in_port_t(port).bigEndian
      place.sin_addr.s_addr = inet_addr("127.0.0.1")
      place6.sin6_family = sa_family_t(AF_INET6)
      place6.sin6_port = in_port_t(port).bigEndian
      withUnsafeMutableBytes(of: &place6.sin6_addr) { $0[15] = 1 }
      try #require(isIPv6 ? isConnected(to: place6) : isConnected(to: place))
      return descriptor
    }

    /// The addresses at which the listener listens.
    ///
    /// A connection that is refused would not show them: at the same port of another address, a
    /// program that runs now may listen.
    var addresses: Set<String> {
      Set(
        listener.descriptors.compactMap { descriptor in
          withUnsafeTemporaryAllocation(byteCount: MemoryLayout<sockaddr_storage>.size, alignment: 8) { place in
            let address = place.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            var length = socklen_t(place.count)
            var name = [CChar](repeating: 0, count: 64)
            guard getsockname(descriptor, address, &length) == 0,
              getnameinfo(address, length, &name, 64, nil, 0, NI_NUMERICHOST) == 0
            else { return nil }
            return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
          }
        })
    }

    /// Lets the listener look at all connections once.
    func work() throws -> Credentials? {
      try listener.respond(to: listener.descriptors, then: .nothing) { address throws(OAuthError) in
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
      let path = listener.address.replacing(/http:\/\/[^\/]+/, with: "")
      return "GET \(path.isEmpty ? "/" : path)?\(query)&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
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

  /// Sends a request to a listener that has ended, and returns the answer.
  private func answer(of served: Served, to request: String) throws -> String {
    let client = try served.connect()
    defer { close(client) }
    send(request, to: client)
    return text(from: client)
  }

  private func text(from client: Int32) -> String {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(client, &buffer, buffer.count), count > 0 { answer += buffer[..<count] }
    return String(decoding: answer, as: UTF8.self)
  }

  /// Answers a login while an app waits for it, and returns what the browser gets.
  private func logIn(_ served: Served, _ request: String) async throws -> String {
    let (listener, authority) = (served.listener, served.authority)
    let waiting = Task { try await listener.credentials(for: authority) }
    let client = try served.connect()
    defer { close(client) }
    send(request, to: client)
    _ = try? await waiting.value
    return text(from: client)
  }

  private static let longShowing = LoopbackListener.Showing(least: .seconds(300), most: .seconds(300))

  @Test(
    "after the answer the browser is at an address without the code, also in another tab and after a reload",
    arguments: [("code=secret", "continues in the app."), ("error=access_denied", "The login failed.")],
    ["http://127.0.0.1/", "http://127.0.0.1", "http://127.0.0.1/oidc/callback"])
  func cleanAddress(answer: (query: String, sentence: String), address: String) async throws {
    let served = try Served(address, showing: Self.longShowing)
    let silent = try served.connect()
    defer { close(silent) }
    let right = try served.request(query: answer.query)
    let path = address.hasSuffix("callback") ? "/oidc/callback" : "/"
    let first = try await logIn(served, right)
    let (again, other) = (
      try self.answer(of: served, to: right), try self.answer(of: served, to: "GET /x HTTP/1.1\r\n\r\n")
    )
    for answer in [first, again, other] {
      #expect(answer.hasPrefix("HTTP/1.1 303 See Other\r\nLocation: \(path)\r\n") && !answer.contains("secret"))
    }
    for _ in 1...2 {
      let page = try self.answer(of: served, to: "GET \(path) HTTP/1.1\r\n\r\n")
      #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains(answer.sentence), "\(page)")
    }
    // A connection that the browser opened in advance.
    send("GET \(path) HTTP/1.1\r\n\r\n", to: silent)
    #expect(text(from: silent).hasPrefix("HTTP/1.1 200 OK\r\n"))
    await #expect(throws: OAuthError.self) { try await served.listener.credentials(for: served.authority) }
  }

  @Test("the port of a login that ended just now is free again when its page is over")
  func samePort() async throws {
    _ = try await logIn(served, try served.request())
    let next = try Served("http://127.0.0.1:\(served.port)/", showing: Self.longShowing)
    #expect(try await logIn(next, try next.request()).hasPrefix("HTTP/1.1 303"))
  }

  @Test(
    "localhost is both addresses of this machine, and each address has only its own",
    arguments: ["localhost", "[::1]", "127.0.0.1"])
  func bothAddresses(host: String) throws {
    // A machine may have no IPv6.
    guard host == "127.0.0.1" || access("/proc/net/if_inet6", R_OK) == 0 else { return }
    let served = try Served("http://\(host)/oidc/callback")
    #expect(served.listener.address == "http://\(host):\(served.port)/oidc/callback")
    #expect(served.addresses == (["localhost": ["::1", "127.0.0.1"], "[::1]": ["::1"]][host] ?? [host]))
    for isIPv6 in [true, false] where host == "localhost" || isIPv6 == (host == "[::1]") {
      let client = try served.connect(isIPv6: isIPv6)
      defer { close(client) }
      send(try served.request(), to: client)
      let answer = try served.answer(to: client)
      #expect(answer.credentials != nil && answer.status == "HTTP/1.1 200 OK")
    }
  }

  @Test(
    "an address of another machine, or one that a browser changes, is none for a listener",
    arguments: [
      "https://localhost/", "http://example.com/", "http://localhost:80/", "http://localhost:0/",
      "http://localhost:65536/", "http://localhost:8000/?a=b", "http://localhost:8000/#a",
      "http://localhost:8000/a/../b", "http://localhost:8000/..", "http://localhost:8000//a", "http://LOCALHOST:8000/",
      "http://127.0.0.2:8000/", "http://user@localhost:8000/",
      "http://localhost:8000/%2e%2e", "http://localhost:08000/", "http://localhost:/", "http://localhost.example.com/",
      "localhost:8000", "",
    ])
  func otherAddress(address: String) throws {
    let failure = #expect(throws: OAuthError.self) { try LoopbackListener(redirectURI: address, title: "app") }
    guard case .unavailable(let cause)? = failure else { throw try #require(failure) }
    #expect(cause.code == "oauth_misconfigured")
  }

  @Test("logins at the same moment have a free port each, at the literal address of this machine")
  func freePorts() throws {
    let addresses = try [served, Served()].map { $0.listener.address }
    #expect(addresses[0] != addresses[1])
    #expect(addresses.allSatisfy { $0.hasPrefix("http://127.0.0.1:") })
  }

  @Test("an app awaits the browser, which gets a page with the escaped name of the app")
  func awaited() async throws {
    let served = try Served(showing: Self.longShowing)
    _ = try await logIn(served, try served.request())
    let page = try answer(of: served, to: "GET / HTTP/1.1\r\n\r\n")
    #expect(page.contains("<title>&lt;app&gt;</title>") && page.contains("continues in the app."))
    // Readable on a phone, in light and dark.
    for part in [#"<html lang="en">"#, "width=device-width", "light dark"] { #expect(page.contains(part)) }
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
