#if !canImport(Darwin)
  public import AuthCore
  import ConcurrencyKit
  import CProcess
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
    public let address: String
    private let sockets: Locked<[Int32]>
    private let origin: String
    /// The path of the address, as browsers request it.
    private let path: String
    private let title: String
    private let place: String
    private let showing: Showing
    private let connections = Locked<[RedirectConnection]>([])
    /// The limit of open connections, more than a browser needs; beyond it, the oldest is closed.
    private static let mostConnections = 64

    /// How long the page is shown after the answer: a browser may reload it, open it in another
    /// tab, or request it before the user does.
    struct Showing: Sendable {
      let least: Duration
      /// The limit while the browser has not requested the page without the code.
      let most: Duration

      static let standard = Showing(least: .seconds(2), most: .seconds(5))
    }

    /// What shows the page after the answer.
    package enum Afterwards: Sendable {
      case nothing
      /// A thread of this process.
      case thread
      /// A process of its own, so that a program can end immediately.
      case process
    }

    /// Listens on a port, at the address `http://127.0.0.1:PORT/`.
    ///
    /// It is not `localhost`, which may mean an IPv6 address.
    ///
    /// - Parameters:
    ///   - port: The port, if the server needs a fixed one; nil for any free one. If it is the one
    ///     of a login that ended just now, this waits until its page is over, at most 6 seconds.
    ///   - title: The title of the page that the browser then shows, such as the name of your app.
    ///   - place: Where the login continues, as the page says it.
    /// - Throws: `unavailable` with the code `redirect_port_unusable`.
    public convenience init(port: Int? = nil, title: String, place: String = "the app") throws(OAuthError) {
      if let port, !(1...65_535).contains(port) {
        throw .unusablePort("port \(port)", "ports have numbers from 1 to 65535")
      }
      try self.init(LoopbackAddress(host: "127.0.0.1", port: port, path: "/"), title: title, place: place)
    }

    /// Listens at the address that a client is registered with, such as
    /// `http://localhost:8250/callback`.
    ///
    /// - Parameters:
    ///   - redirectURI: An `http` address of `127.0.0.1`, `[::1]` or `localhost`, which listens at
    ///     both. Without a port, any free one is added: many servers accept each port of this
    ///     machine (RFC 8252, section 7.3).
    ///   - title: The title of the page that the browser then shows, such as the name of your app.
    ///   - place: Where the login continues, as the page says it.
    /// - Throws: `unavailable` with the code `oauth_misconfigured` for another address, or
    ///   `redirect_port_unusable`.
    public convenience init(redirectURI: String, title: String, place: String = "the app") throws(OAuthError) {
      guard let address = LoopbackAddress(redirectURI) else {
        throw .misconfigured("A browser cannot return to this program at \(redirectURI.debugDescription).")
      }
      try self.init(address, title: title, place: place)
    }

    init(
      _ address: LoopbackAddress, title: String, place: String, showing: Showing = .standard
    ) throws(OAuthError) {
      let listening = try LoopbackSockets(address)
      sockets = Locked(listening.descriptors)
      self.address = address.text(port: listening.port)
      origin = address.origin(port: listening.port)
      path = address.path.isEmpty ? "/" : address.path
      (self.title, self.place, self.showing) = (title, place, showing)
    }

    deinit {
      for descriptor in descriptors { close(descriptor) }
    }

    /// Waits until the browser returns with the answer to a login that `authority` began.
    ///
    /// The browser then gets a page, at an address without the code, for some seconds. The next
    /// login needs another listener.
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
        if sockets.withLock(\.isEmpty) { throw .unusablePort(address, "its login has ended") }
        let ready = await readable()
        let found = try respond(to: ready, then: .thread) { (address) throws(OAuthError) in
          try authority.credentials(from: address)
        }
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
    package var descriptors: [Int32] {
      sockets.withLock(\.self) + connections.withLock { $0.map(\.descriptor) }
    }

    /// Answers the requests that have arrived; to be called by one task at a time.
    ///
    /// - Parameters:
    ///   - ready: The descriptors that can be read.
    ///   - after: What shows the page after the answer.
    ///   - check: Turns an address that answers the login into credentials, and refuses others.
    /// - Returns: What `check` returned; nil if nothing answered the login.
    /// - Throws: What `check` throws, unless the address belongs to another login.
    package func respond(
      to ready: [Int32], then after: Afterwards, _ check: (String) throws(OAuthError) -> Credentials
    ) throws(OAuthError) -> Credentials? {
      var open = connections.withLock { connections in
        defer { connections = [] }
        return connections
      }
      defer { connections.withLock { $0 = open } }
      for socket in sockets.withLock(\.self) where ready.contains(socket) { try accept(socket, &open) }
      for index in open.indices.reversed() where ready.contains(open[index].descriptor) {
        guard let path = open[index].read() else { continue }
        let connection = open.remove(at: index)
        defer { close(connection.descriptor) }
        do throws(OAuthError) {
          let credentials = try check(origin + path)
          end(connection, &open, after, "You can close this tab. The login continues in \(place).")
          return credentials
        } catch {
          guard error == .rejected(.foreignResponse) else {
            end(connection, &open, after, "The login failed. You can close this tab; the reason is in \(place).")
            throw error
          }
          let page = RedirectPage(title: title, sentence: "This address does not belong to a login.")
          connection.send(page.response("404 Not Found"))
        }
      }
      return nil
    }

    /// Answers the browser with the last page, or with the way to it if something still shows it.
    private func end(
      _ connection: RedirectConnection, _ open: inout [RedirectConnection], _ after: Afterwards, _ sentence: String
    ) {
      let page = RedirectPage(title: title, sentence: sentence).response("200 OK")
      let redirect = RedirectPage.redirect(to: path)
      let isShown = show(page, redirect, open.map(\.descriptor), after)
      if isShown { open = [] }
      connection.send(isShown ? redirect : page)
    }

    /// Hands all sockets over to what shows the page; false if nothing does.
    private func show(_ page: String, _ redirect: String, _ open: [Int32], _ after: Afterwards) -> Bool {
      let listening = sockets.withLock(\.self)
      let (all, count, request) = (listening + open, Int32(listening.count), "GET \(path) HTTP/1.")
      let (least, most) = (Int(showing.least / .milliseconds(1)), Int(showing.most / .milliseconds(1)))
      switch after {
      case .nothing: return false
      case .thread:
        let serve: @Sendable () -> Void = {
          cprocess_serve_page(all, count, Int32(all.count), request, page, redirect, least, most)
          for descriptor in listening { close(descriptor) }
        }
        guard startThread(blockingSignals: true, serve) else { return false }
      case .process:
        guard cprocess_serve_page_apart(all, count, Int32(all.count), request, page, redirect, least, most) == 0
        else { return false }
        for descriptor in all { close(descriptor) }
      }
      sockets.withLock { $0 = [] }
      return true
    }

    private func accept(_ socket: Int32, _ open: inout [RedirectConnection]) throws(OAuthError) {
      while true {
        let descriptor = Glibc.accept(socket, nil, nil)
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
#endif
