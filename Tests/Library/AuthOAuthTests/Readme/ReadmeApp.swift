import AuthCore
import AuthOAuth

@MainActor final class InboxScreen: @MainActor GuardedScreen {
  private let key: LiveKey
  init(session: LoggedInSession) { key = LiveKey(session) }
  func follow(_ session: LoggedInSession) { key.follow(session) }
  func dismiss(_ reason: EndReason) { key.dismiss(reason) }
  var title: String { key.session.user.displayName }

  func load(_ get: (_ header: String) async throws -> Int) async throws {
    // The token is renewed first if it has expired.
    try await key.session.withAccess { (token: borrowing LentAccessToken) in
      // Then the closure runs again, once, with a new token.
      if try await get(token.header) == 401 { throw AccessTokenRefused() }
    }
  }
}

@MainActor func logIn(
  _ store: SessionStore, _ authority: OAuthAuthority,
  browser: (_ url: String) async throws -> String
) async throws {
  // Offline, it is not known whether the saved session has ended.
  guard case .loggedOut = await store.restore() else { return }
  let answer = try await browser(
    authority.authorizationURL(redirectURI: "com.example.app:/login"))
  _ = try await store.logIn(authority.credentials(from: answer))
}
