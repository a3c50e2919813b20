import AuthCore
import AuthDevice
import AuthOAuth
import Glibc
import TextFormat

/// A process of an app at an OAuth server, with the session in a file: it restores the session,
/// and does one thing.
///
///     session-tool DIRECTORY ISSUER login ALLOW...  logs in; a program allows code=CODE
///     session-tool DIRECTORY ISSUER lend [HASH]     prints the hash of a token other than this one
///     session-tool DIRECTORY ISSUER logout
///     session-tool DIRECTORY ISSUER forget          logs out without restoring the session first
///
/// No token is printed. The status is 0, 3 if there was no answer, and 4 if nobody is logged in.
@main
enum SessionTool {
  static func main() async {
    let words = CommandLine.arguments
    let issuer = words[2]
    // django-oauth-toolkit, with other addresses.
    let isDjango = !issuer.hasSuffix("/oidc")
    let slash = isDjango ? "/" : ""
    var server = OAuthServer(
      issuer: issuer,
      endpoints: [
        .token: issuer + "/token" + slash, .deviceAuthorization: issuer + "/device_authorization",
        .userInfo: issuer + "/userinfo" + slash,
      ], send: CurlTransport(executor: .callingThread).send)
    if isDjango { server.endpoints[.revocation] = issuer + "/revoke_token/" }
    let clock = BootClock()
    let authority = OAuthAuthority(server: server, clientID: isDjango ? "app" : "cli", scopes: ["openid"], clock: clock)
    let limit = words.count > 5 ? Duration.milliseconds(Int(words[5]) ?? 0) : .seconds(30)
    let store = SessionStore(
      authority: authority, vault: FileVault(directory: words[1], issuer: TokenIssuer(rawValue: issuer)), clock: clock,
      timing: SessionTiming(renewalStep: limit, watchesLimits: false), executor: .callingThread)
    do {
      if words[3] == "login" {
        let device = try await authority.deviceAuthorization()
        try allow(Array(words[4...]) + ["code=\(device.userCode)"])
        _ = try await store.logIn(try await device.credentials())
        return
      }
      if words[3] == "forget" {
        _ = try await store.logOutAnyone()
        return
      }
      switch await store.restore() {
      case .loggedIn(let session): try await use(session, of: store, words)
      case .loggedOut(let reason):
        print("logged out: \(reason)")
        exit(4)
      case let outcome:
        print("\(outcome)")
        exit(3)
      }
    } catch {
      print("\(error)")
      exit(store.session == nil ? 4 : 3)
    }
  }

  private static func use(_ session: LoggedInSession, of store: SessionStore, _ words: [String]) async throws {
    if words[3] == "logout" {
      _ = try await store.logOut(session)
      return
    }
    let refused = words.count > 4 ? words[4] : ""
    let hash = try await session.withAccess { (token: borrowing LentAccessToken) in
      let hash = Hex.text(SHA256.hash(Array(token.header.utf8)))
      if hash == refused { throw AccessTokenRefused() }
      return hash
    }
    print(hash)
  }

  private static func allow(_ command: [String]) throws {
    var id: pid_t = 0
    let words = command.map { strdup($0) }
    guard posix_spawnp(&id, command[0], nil, nil, words + [nil], environ) == 0 else { throw Unallowed() }
    var status: Int32 = 0
    guard waitpid(id, &status, 0) == id, status == 0 else { throw Unallowed() }
  }

  private struct Unallowed: Error {}
}
