import AuthCore
import AuthCoreTesting
import Testing

@testable import AuthOAuth

/// The authority and the transport against a provider whose refresh tokens can be used once.
@Suite(.enabled(if: GlewlwydServer.isHere, GlewlwydServer.advice), .timeLimit(.minutes(10)))
struct GlewlwydTests {
  private func authority(_ provider: GlewlwydServer, _ clock: ManualClock) async throws -> OAuthAuthority {
    let server = try await OAuthServer.discover(issuer: provider.issuer, send: CurlTransport().send)
    return OAuthAuthority(server: server, clientID: "cli", scopes: ["openid", "offline_access"], clock: clock)
  }

  private func credentials(
    _ provider: GlewlwydServer, _ authority: OAuthAuthority, prompting: Bool = false
  ) async throws -> Credentials {
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login", prompting: prompting)
    return try authority.credentials(from: try await provider.browse(url))
  }

  @Test("a login in the browser, renewals and a password check; a token that was used twice is refused")
  func session() async throws {
    try await GlewlwydServer.run { provider in
      let (clock, vault) = (ManualClock(), InMemoryVault())
      let authority = try await authority(provider, clock)
      let store = SessionStore(authority: authority, vault: vault, clock: clock)
      let session = try await store.loggedIn(try await credentials(provider, authority))
      _ = try await store.renew()
      _ = try await store.reauthenticate(with: try await credentials(provider, authority, prompting: true)).key
      let token = try await vault.saved()
      _ = try await store.renew()
      #expect(session.isLive)
      #expect(try await provider.count("POST token refresh_token 200") == 2)
      // The server refuses with an empty answer, which proves nothing: a proxy may send it, too.
      let other = try await self.authority(provider, clock)
      let failure = await #expect(throws: AuthorityError<SessionRejection>.self) { try await other.renew(token) }
      guard case .unavailable(let cause)? = failure else { throw try #require(failure) }
      #expect(cause.code == "oauth_no_reason")
      await #expect(throws: SessionError.unavailable(cause)) { try await store.renew() }
    }
  }

  @Test("a login on another device")
  func device() async throws {
    try await GlewlwydServer.run { provider in
      let clock = ManualClock()
      let authority = try await authority(provider, clock)
      let device = try await authority.deviceAuthorization()
      try await provider.allow(device.userCode)
      let waiting = Task { () async throws -> Credentials in try await device.credentials() }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      let result = try await authority.authenticate(try await waiting.value, limits: LimitRequest())
      #expect(try #require(result.grant).user.displayName == "Alice")
    }
  }
}
