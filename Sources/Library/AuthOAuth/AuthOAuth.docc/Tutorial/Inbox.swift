import AuthCore
import AuthDevice
import AuthOAuth

struct Inbox {
  let authority: OAuthAuthority
  let store: SessionStore

  init(issuer: String, directory: String) async throws {
    let clock = BootClock()
    let server = try await OAuthServer.discover(issuer: issuer, send: CurlTransport().send)
    authority = OAuthAuthority(server: server, clientID: "inbox", scopes: ["openid", "offline_access"], clock: clock)
    store = SessionStore(authority: authority, vault: FileVault(directory: directory), clock: clock)
  }
}
