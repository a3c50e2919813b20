import AuthCore
import AuthOAuth

@MainActor func visit(
  _ server: OAuthServer, _ vault: any SessionVault, _ clock: any SessionClock,
  browser: (_ url: String) async throws -> String,
  get: (_ authorization: String) async throws -> Int
) async throws {
  let authority = OAuthAuthority(
    server: server, clientID: "app", scopes: ["openid", "offline_access"],
    clock: clock)
  let store = SessionStore(authority: authority, vault: vault, clock: clock)
  await store.restore()
  if store.session == nil {
    let url = try authority.authorizationURL(
      redirectURI: "com.example.app:/login")
    let answer = try await browser(url)
    _ = try await store.logIn(try authority.credentials(from: answer))
  }
  // An optional: without a session there is no access token.
  guard let session = store.session else { return }
  // The token is renewed first if it has expired.
  try await session.withAccess { (token: borrowing LentAccessToken) in
    // The closure is repeated once, with a new token.
    if try await get(token.header) == 401 { throw AccessTokenRefused() }
  }
  // Revokes the tokens at the server; every copy of the session is dead.
  _ = try await store.logOut(session)
}
