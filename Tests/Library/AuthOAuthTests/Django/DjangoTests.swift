import AuthCore
import AuthCoreTesting
import AuthDevice
import FoundationEssentials
import Glibc
import Programs
import Testing

@testable import AuthOAuth

/// The authority against a server that others wrote.
@Suite(.enabled(DjangoServer.advice) { await DjangoServer.isHere }, .timeLimit(.minutes(240)))
struct DjangoTests {
  private func authority(
    _ django: DjangoServer, _ clock: any SessionClock, client: String = "app"
  ) async throws -> OAuthAuthority {
    var server = try await OAuthServer.discover(issuer: django.place, send: CurlTransport().send)
    #expect(server.namesIssuer)
    // What its descriptions leave out.
    server.endpoints[.deviceAuthorization] = django.place + "/device-authorization/"
    return OAuthAuthority(server: server, clientID: client, scopes: ["openid", "read"], clock: clock)
  }

  private func logIn(_ django: DjangoServer, _ authority: OAuthAuthority) async throws -> Credentials {
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login")
    return try authority.credentials(from: try await django.browse(url))
  }

  /// Logs in with a session that processes share, and returns its directory.
  private func share(_ django: DjangoServer) async throws -> String {
    let sessions = django.directory.appending(path: "sessions").path
    let authority = try await authority(django, BootClock())
    let credentials = try await logIn(django, authority)
    let vault = FileVault(directory: sessions, issuer: TokenIssuer(rawValue: django.place))
    _ = try await SessionStore(authority: authority, vault: vault, clock: BootClock()).loggedIn(credentials)
    return sessions
  }

  private func rounds(_ larger: Int, _ complete: Int) -> Int { getenv("EXCHANGE") == nil ? larger : complete }

  @Test(
    "processes share a session, with and without a grace period for used tokens, and those that are killed lose none",
    .timeLimit(.minutes(30)), arguments: [0, 10])
  func processes(grace: Int) async throws {
    try await DjangoServer.run(grace: grace) { django in
      let sessions = try await share(django)
      try await renew(sessions, django.place, rounds(10, 200), kills: false)
      let given = try await django.tokens().given
      #expect(given == rounds(10, 200) + 1)
      try await renew(sessions, django.place, rounds(10, 300), kills: true)
      #expect(try await django.tokens().given == given + rounds(10, 300))
    }
  }

  private func renew(_ sessions: String, _ place: String, _ rounds: Int, kills: Bool) async throws {
    var known = try await SessionProcess(sessions, place, ["lend"]).end().text
    for round in 1...rounds {
      let started = try (1...(kills ? 4 : 16)).map { _ in try SessionProcess(sessions, place, ["lend", known]) }
      if kills {
        // Not to order anything: every moment is a good one.
        usleep(UInt32.random(in: 0...200_000))
        if let victim = started.randomElement() { kill(victim.child.id, SIGKILL) }
      }
      let ends = await started.ends().filter { $0.status != -SIGKILL }
      #expect(ends.allSatisfy { $0.status == 0 && $0.text == ends[0].text && $0.text != known }, "\(round): \(ends)")
      known = ends[0].text
    }
  }

  @Test("a logout among renewals of other processes leaves no session at the server", .timeLimit(.minutes(10)))
  func logout() async throws {
    try await DjangoServer.run { django in
      for _ in 1...rounds(5, 50) {
        let sessions = try await share(django)
        let known = try await SessionProcess(sessions, django.place, ["lend"]).end().text
        let started = try (1...4).map { _ in try SessionProcess(sessions, django.place, ["lend", known]) }
        let logout = try SessionProcess(sessions, django.place, ["logout"])
        _ = await started.ends()
        #expect(await logout.end().status == 0)
        #expect(try await SessionProcess(sessions, django.place, ["lend"]).end().status == 4)
        #expect(try await django.tokens().live == 0)
      }
    }
  }

  @Test("a spent refresh token ends the session, and so does a forged code begin none", .timeLimit(.minutes(10)))
  func refusals() async throws {
    try await DjangoServer.run { django in
      let (clock, vault) = (ManualClock(), InMemoryVault())
      let authority = try await authority(django, clock)
      let store = SessionStore(authority: authority, vault: vault, clock: clock)
      let session = try await store.loggedIn(try await logIn(django, authority))
      let token = try await vault.saved()
      // Somebody who copied the token uses it, and then its owner.
      _ = try await self.authority(django, clock).renew(token)
      await #expect(throws: SessionError.ended(.revoked)) { try await store.renew() }
      #expect(session.endReason == .revoked)

      let urls = try (1...2).map { _ in try authority.authorizationURL(redirectURI: "com.example.app:/login") }
      let state = try #require(urls[1].firstMatch(of: /state=([^&]*)/)?.1)
      let stolen = try await django.browse(urls[0]).replacing(/state=[^&]*/, with: "state=\(state)")
      let credentials = try authority.credentials(from: stolen)
      let failure = await #expect(throws: SessionError.self) { try await store.loggedIn(credentials) }
      #expect(failure?.code == "login_expired")
    }
  }

  @Test("a login on another device", .timeLimit(.minutes(10)))
  func device() async throws {
    try await DjangoServer.run { django in
      let clock = ManualClock()
      let authority = try await authority(django, clock, client: "device")
      let device = try await authority.deviceAuthorization()
      #expect(device.verificationURI == django.place + "/device/")
      let waiting = Task { () async throws -> Credentials in try await device.credentials() }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      await clock.waitForSleepers(1)
      let confirmation = try await django.browse(device.verificationURI, form: ["user_code=\(device.userCode)"])
      _ = try await django.browse(django.place + confirmation, form: ["action=accept"])
      clock.advance(by: .seconds(10))
      let result = try await authority.authenticate(try await waiting.value, limits: LimitRequest())
      let grant = try #require(result.grant)
      #expect(grant.user.id == UserID(rawValue: "\(django.place) 1"))
    }
  }
}
