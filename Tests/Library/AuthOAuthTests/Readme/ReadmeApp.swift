import AuthCore
import AuthOAuth

@MainActor final class InboxScreen: @MainActor GuardedScreen {
  private let key: LiveKey
  init(session: LoggedInSession) { key = LiveKey(session) }
  func follow(_ session: LoggedInSession) { key.follow(session) }
  func dismiss(_ reason: EndReason) { key.dismiss(reason) }

  func load(_ get: (_ header: String) async throws -> Int) async throws {
    // Renews the token first if it has expired.
    try await key.session.withAccess { (token: borrowing LentAccessToken) in
      // After this error the closure runs once more, with a new token.
      if try await get(token.header) == 401 { throw AccessTokenRefused() }
    }
  }
}

@MainActor func logIn(
  _ store: SessionStore, _ authority: OAuthAuthority,
  browser: (_ url: String) async throws -> String
) async throws {
  // Only if there is surely no session: offline, a saved one is kept.
  guard case .loggedOut = await store.restore() else { return }
  let answer = try await browser(
    authority.authorizationURL(redirectURI: "com.example.app:/login"))
  _ = try await store.logIn(authority.credentials(from: answer))
}
