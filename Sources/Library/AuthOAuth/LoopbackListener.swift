#if !canImport(Darwin)
  public import AuthCore
  import ConcurrencyKit
  import Glibc
  import TextFormat

  /// A port of this machine to which the browser returns after a login (RFC 8252, section 7.3).
  ///
  /// Any program on this machine can connect to it. Therefore it accepts only the request that
  /// answers the login, refuses all others, and never blocks on a connection. It exists on Linux;
  /// on Apple's systems, use `ASWebAuthenticationSession`.
  ///
  /// ```swift
  /// import AuthCore
  /// import AuthOAuth
  ///
  /// func logIn(
  ///   _ store: SessionStore, at authority: OAuthAuthority, open: (_ url: String) -> Void
  /// ) async throws -> LoginResult {
  ///   let listener = try LoopbackListener(title: "My app")
  ///   open(try authority.authorizationURL(redirectURI: listener.address))
  ///   return try await store.logIn(try await listener.credentials(for: authority))
  /// }
  /// ```
  public final class LoopbackListener: Sendable {
    /// The address to which the server sends the browser, with the port.
    ///
    /// It is not `localhost`, which may mean an IPv6 address.
    public let address: String
    private let listener: Int32
    private let title: String
    private let place: String
    private let connections = Locked<[RedirectConnection]>([])
    /// The limit of open connections, more than a browser needs; beyond it, the oldest is closed.
    private static let mostConnections = 64

    /// Listens on a port.
    ///
    /// - Parameters:
    ///   - port: The port, if the server needs a fixed one; nil for any free one.
    ///   - title: The title of the page that the browser then shows, such as the name of your app.
    ///   - place: Where the login continues, as the page says it.
    /// - Throws: `unavailable` with the code `redirect_port_unusable`.
    public init(port: Int? = nil, title: String, place: String = "the app") throws(OAuthError) {
      if let port, !(1...65_535).contains(port) {
        throw .unusablePort("port \(port)", "ports have numbers from 1 to 65535")
      }
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      // Connections of an earlier login that are closing do not block the port.
      var isOn: Int32 = 1
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port ?? 0).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutableBytes(of: &address) { bytes in
        guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        return bind(listener, address, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &length) == 0
      }
      guard isListening else {
        let reason = ErrorNumber.current.explanation
        close(listener)
        throw .unusablePort(port.map { "port \($0)" } ?? "a free port", reason)
      }
      self.listener = listener
      (self.title, self.place) = (title, place)
      self.address = "http://127.0.0.1:\(address.sin_port.bigEndian)/"
    }

    deinit {
      close(listener)
      for connection in connections.withLock(\.self) { close(connection.descriptor) }
    }

    /// Waits until the browser returns with the answer to a login that `authority` began.
    ///
    /// - Parameters:
    ///   - authority: The authority, whose login has ``address`` as its `redirectURI`.
    ///   - timeLimit: The longest wait: long enough to create an account at the server.
    /// - Returns: Credentials for one login or reauthentication of the store.
    /// - Throws: As ``OAuthAuthority/credentials(from:)``, except for addresses that answer no
    ///   login; `unavailable` after the time limit, or if the task is cancelled.
    public func credentials(
      for authority: OAuthAuthority, timeLimit: Duration = .seconds(900)
    ) async throws(OAuthError) -> Credentials {
      let deadline = ContinuousClock.now + timeLimit
      while ContinuousClock.now < deadline {
        if Task.isCancelled { throw .loginCancelled }
        let ready = await readable()
        let found = try answer(ready) { (address) throws(OAuthError) in try authority.credentials(from: address) }
        if let found { return found }
      }
      throw .unavailable(
        Unavailability(
          .unreachable, "The browser did not return in time.", hint: "Log in again.", code: "login_expired"))
    }

    /// Waits for a short time until a request or a connection arrives; blocks no shared thread.
    private func readable() async -> [Int32] {
      let waited = descriptors
      return await withCheckedContinuation { continuation in
        let wait: @Sendable () -> Void = {
          var events = waited.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
          _ = poll(&events, nfds_t(events.count), 250)
          continuation.resume(returning: events.filter { $0.revents != 0 }.map(\.fd))
        }
        if !startThread(wait) { wait() }
      }
    }

    // MARK: The steps of `credentials(for:timeLimit:)`, for a program that waits by itself

    /// The descriptors to wait for: one becomes readable when a request or a connection arrives.
    package var descriptors: [Int32] { [listener] + connections.withLock { $0.map(\.descriptor) } }

    /// Answers the requests that have arrived; to be called by one task at a time.
    ///
    /// - Parameters:
    ///   - ready: The descriptors that can be read.
    ///   - check: Turns an address that answers the login into credentials, and refuses others.
    /// - Returns: What `check` returned; nil if nothing answered the login.
    /// - Throws: What `check` throws, unless the address belongs to another login.
    package func answer(
      _ ready: [Int32], _ check: (String) throws(OAuthError) -> Credentials
    ) throws(OAuthError) -> Credentials? {
      var open = connections.withLock { connections in
        defer { connections = [] }
        return connections
      }
      defer { connections.withLock { $0 = open } }
      if ready.contains(listener) { try accept(&open) }
      for index in open.indices.reversed() where ready.contains(open[index].descriptor) {
        guard let path = open[index].read() else { continue }
        let connection = open.remove(at: index)
        defer { close(connection.descriptor) }
        do throws(OAuthError) {
          let credentials = try check(address + path.dropFirst())
          connection.answer("200 OK", title, "You can close this tab. The login continues in \(place).")
          return credentials
        } catch {
          guard error == .rejected(.foreignResponse) else {
            connection.answer("200 OK", title, "The login failed. You can close this tab; the reason is in \(place).")
            throw error
          }
          connection.answer("404 Not Found", title, "This address does not belong to a login.")
        }
      }
      return nil
    }

    private func accept(_ open: inout [RedirectConnection]) throws(OAuthError) {
      while true {
        let descriptor = Glibc.accept(listener, nil, nil)
        if descriptor < 0, case let error = ErrorNumber.current, error.isOfDescriptors {
          // The connection stays in the queue, so every later wait would return immediately.
          guard !open.isEmpty else { throw .unusablePort(address, error.explanation) }
          close(open.removeFirst().descriptor)
          continue
        }
        // No more connections have arrived.
        guard descriptor >= 0 else { return }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if open.count == Self.mostConnections { close(open.removeFirst().descriptor) }
        open.append(RedirectConnection(descriptor: descriptor))
      }
    }
  }

  extension AuthorityError where Rejection == OAuthRejection {
    fileprivate static func unusablePort(_ port: String, _ reason: String) -> OAuthError {
      .unavailable(
        Unavailability(
          .unreachable, "A browser cannot return to this program on \(port): \(reason).",
          hint: "Choose another port, or log in on another device.", code: "redirect_port_unusable",
          values: [port, reason]))
    }
  }

  extension String {
    /// The text in a page.
    fileprivate var htmlText: String {
      replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
  }

  /// A connection to the listener, which sends one request.
  private struct RedirectConnection {
    let descriptor: Int32
    private var request: [UInt8] = []
    /// The limit of what a client can make this process store, more than a browser sends.
    private static let longestRequest = 1 << 16

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads what has arrived.
    ///
    /// - Returns: The path and the query of a GET request; nil while it is incomplete; an empty
    ///   text for everything else, such as a closed connection.
    mutating func read() -> String? {
      var buffer = [UInt8](repeating: 0, count: 8192)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { return nil }
      guard count > 0 else { return "" }
      request += buffer[..<count]
      // The browser might not read an answer that comes before the end of its request.
      guard !request.suffix(count + 3).ranges(of: Array("\r\n\r\n".utf8)).isEmpty else {
        return request.count > Self.longestRequest ? "" : nil
      }
      return String(decoding: request, as: UTF8.self)
        .prefixMatch(of: /GET (\/[\x21-\x7E]*) HTTP\/1\.[01]\r\n/).map { String($0.1) } ?? ""
    }

    /// Sends a page with one sentence, without waiting for a client that does not read it.
    func answer(_ status: String, _ title: String, _ sentence: String) {
      let (title, sentence) = (title.htmlText, sentence.htmlText)
      let page = "<!doctype html><meta charset=utf-8><title>\(title)</title><p>\(sentence)</p>\n"
      let answer = """
        HTTP/1.1 \(status)\r
        Content-Type: text/html; charset=utf-8\r
        Content-Length: \(page.utf8.count)\r
        Content-Security-Policy: default-src 'none'\r
        Referrer-Policy: no-referrer\r
        Cache-Control: no-store\r
        Connection: close\r
        \r
        \(page)
        """
      let bytes = Array(answer.utf8)
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }
#endif
