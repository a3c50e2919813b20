import AuthCore
import AuthOAuth

@MainActor func visit(
  _ server: OAuthServer, _ vault: any SessionVault, _ clock: any SessionClock,
  browser: (_ url: String) async throws -> String, get: (_ authorization: String) async throws -> Int
) async throws {
  let authority = OAuthAuthority(server: server, clientID: "app", scopes: ["openid", "offline_access"], clock: clock)
  let store = SessionStore(authority: authority, vault: vault, clock: clock)
  await store.restore()
  if store.session == nil {
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login")
    _ = try await store.logIn(try authority.credentials(from: try await browser(url)))
  }
  guard let session = store.session else { return }  // an optional: without it there is no access token
  try await session.withAccess { (token: borrowing LentAccessToken) in  // renewed first if it has expired
    if try await get(token.header) == 401 { throw AccessTokenRefused() }  // repeated once, with a new token
  }
  _ = try await store.logOut(session)  // revokes the tokens at the server; every copy of the session is dead
}
