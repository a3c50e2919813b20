import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// The session, the settings and the authority of a command at an identity provider.
final class ProviderWorkspace: ContextWorkspace {
  let settings: ProviderSettings
  let authority: OAuthAuthority

  /// Creates the workspace, without reading or sending anything yet.
  init(
    _ location: ContextLocation, _ output: CommandOutput, _ settings: ProviderSettings, _ use: WorkspaceUse = .acts,
    onlyTokens: Bool = false
  ) {
    let clock = BootClock()
    self.settings = settings
    let authority = settings.authority(clock: clock, onlyTokens: onlyTokens)
    self.authority = authority
    let vault = location.vault(for: settings.tokenIssuer)
    super.init(location, output, vault: vault, use, authority: authority, clock: clock)
  }

  /// Saves with the context how the client authenticated, if that was found out just now.
  ///
  /// Nothing depends on it: the next request would find it out again.
  func rememberClientAuthentication() {
    let known = authority.clientAuthentication
    guard settings.clientSecret != nil, known != settings.clientAuthentication else { return }
    var next = settings
    next.clientAuthentication = known
    try? vault.saveProviderSettings(next.content, insteadOf: settings.content)
  }

  /// An access token that is valid for at least `minimum`, renewed if necessary.
  ///
  /// If all tokens of the provider are valid for less, it is a new one. It is read from the session
  /// file and not lent by `withAccess`, because the command prints it: the token leaves any lease,
  /// and a loan does not say how long the token must still be valid.
  ///
  /// - Parameters:
  ///   - minimum: How long it must be valid.
  ///   - refused: A token that must not be returned, because a server refused it.
  /// - Returns: The token.
  /// - Throws: ``CommandError`` if nobody is logged in, or the provider grants no such token.
  func accessToken(
    validFor minimum: Duration, insteadOf refused: AccessToken? = nil
  ) async throws(CommandError) -> AccessToken {
    let before = vault.savedToken
    defer { rememberClientAuthentication() }
    _ = try await session()
    if let refused {
      // The first renewal may return a token that another process renewed earlier.
      for _ in 1...2 where vault.savedToken.map({ $0.value == refused.value }) ?? true {
        try await explainedAsync { () throws(SessionError) in try await store.renew() }
      }
      guard let token = vault.savedToken, token.value != refused.value else {
        throw CommandError(code: .accessTokenRefused)
      }
    }
    // The first renewal may return a token that another process renewed earlier.
    for _ in 1...2 {
      if let token = vault.savedToken, try token.isValid(for: minimum, by: clock) { return token }
      try await explainedAsync { () throws(SessionError) in try await store.renew() }
      if let token = vault.savedToken, token != before, try token.isValid(for: .zero, by: clock) { return token }
    }
    // The provider granted the same token again.
    if let token = vault.savedToken, try token.isValid(for: .zero, by: clock) { return token }
    throw CommandError(code: .noAccessToken)
  }
}

// What commands and the full-screen program do with a session at an identity provider.

extension SessionStore {
  /// Renews the session with a login for which the user entered the password.
  ///
  /// - Throws: ``CommandError`` if the login was refused, or the provider does not say that the
  ///   password was entered; then the session is renewed all the same.
  func reauthenticate(
    _ session: LoggedInSession, with credentials: Credentials, at issuer: String
  ) async throws(CommandError) -> LoggedInSession {
    let renewed = try await LoggedInSession.begun(renewing: session) { () async throws(SessionError) in
      try await reauthenticate(session, with: credentials)
    }
    do throws(FreshnessError) { _ = try FreshSession(renewed) } catch {
      guard error == .passwordNotRecent else { throw CommandError(error) }
      throw CommandError(code: .passwordNotProven, issuer.escaped)
    }
    return renewed
  }

  /// Ends the session here, and its tokens at the provider.
  ///
  /// - Parameters:
  ///   - user: The user to log out; nil means whoever is logged in.
  ///   - authority: The provider.
  ///   - vault: The session file, with the access token.
  /// - Returns: `complete`, `alreadyLoggedOut`, or `withoutRevocation` if the provider cannot
  ///   revoke tokens.
  /// - Throws: ``CommandError`` if the session file was not deleted, or a token was not revoked.
  func logOut(
    _ user: User? = nil, at authority: OAuthAuthority, _ vault: FileVault
  ) async throws(CommandError) -> LogoutResult {
    let token = vault.savedToken
    guard var result = try? await logOut(user) else { throw CommandError(SessionError.cancelled) }
    if case .alreadyLoggedOut = result { return result }
    var (leftovers, causes) = (IncompleteCleanup.none, [String]())
    if case .partial(let remaining, let reasons) = result {
      (leftovers, causes, result) = (remaining, reasons, .complete)
    }
    if leftovers.notErased {
      // On a read-only file system, the tokens are revoked all the same.
      let code = leftovers.notRevoked ? ErrorCode.logoutFailed : .logoutNotErased
      throw CommandError(code: code, leftovers.words(at: "provider", causes))
    }
    var failed = leftovers.notRevoked ? ["the refresh token"] : []
    // Revoking the refresh token does not revoke the access token at every provider.
    if let token, try token.isValid(for: .zero, by: BootClock()) {
      do throws(OAuthError) { try await authority.end(token) } catch {
        if case .unavailable(let cause) = error, cause.cause == .unsupported {
          result = .withoutRevocation
        } else {
          failed.append("the access token")
          causes.append(CommandError(error).message)
        }
      }
    }
    guard failed.isEmpty else {
      throw CommandError(
        code: .logoutAtProviderIncomplete, authority.server.issuer.escaped,
        failed.joined(separator: " and ") + causes.inBrackets)
    }
    return result
  }
}

extension LoggedInSession {
  /// The session after a login that the provider has confirmed.
  ///
  /// `present` is the session that the login may only renew; nil accepts any user.
  static func begun(
    renewing present: LoggedInSession?, by login: () async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> LoggedInSession {
    do throws(SessionError) {
      if let session = try await login().session { return session }
    } catch {
      guard case .loginRefused(let refusal) = error else { throw CommandError(error) }
      switch refusal.code {
      case OAuthRejection.otherUser.code: if let present { throw .otherUser(than: present.user.username) }
      case OAuthRejection.expired.code: break
      case _: throw CommandError(error)
      }
    }
    throw CommandError(code: .loginExpired)
  }

  /// The claims of the provider about the user, not escaped; nil if it has no such endpoint.
  func claims(at authority: OAuthAuthority) async throws(CommandError) -> OAuthClaims? {
    try await explainedAsync { () async throws(AccessError<OAuthError>) in
      try await withAccess { (token) async throws(OAuthError) in
        try await authority.claims(about: user, of: token)
      }
    }
  }

  /// The user and the claims as rows of a name and a text, not escaped.
  func rows(with claims: OAuthClaims?) -> [(name: String, text: String)] {
    [("Name", user.displayName), ("Username", user.username)]
      + (claims?.members ?? [:]).sorted { $0.key < $1.key }.map { name, value in
        if case .string(let text) = value { (name, text) } else { (name, value.text) }
      }
  }
}

extension FileVault {
  /// The access token in the session file.
  var savedToken: AccessToken? {
    if case .token(_, let details) = read() { details.accessToken } else { nil }
  }
}

extension AccessToken {
  /// Whether it is valid for at least `minimum` from now on, by the time that the authority gave.
  func isValid(for minimum: Duration, by clock: any SessionClock) throws(CommandError) -> Bool {
    isValid(for: minimum, at: try explained { () throws(ClockError) in try clock.now() })
  }

  func isValid(for minimum: Duration, at now: BootInstant) -> Bool {
    deadline.phase(at: now.advanced(by: minimum)) == .ahead
  }
}

extension Deadlines {
  /// A sentence that says how long a token is valid.
  func validity(of token: AccessToken?) -> String {
    guard let deadline = token?.deadline, moment(deadline) != nil else {
      return token?.deadline == .never
        ? "The provider did not say when the access token expires."
        : "There is no valid access token; the next use renews it."
    }
    let left = remaining(deadline)
    return left == "over"
      ? "The access token has expired; the next use renews it." : "The access token is valid for \(left)."
  }
}

extension CommandError {
  /// The error after a login by another user than `user`, who is logged in here.
  fileprivate static func otherUser(than user: String) -> CommandError {
    CommandError(code: .otherUserLoggedIn, user.escaped).withHint(
      "Another user logged in at the provider. Log out first, or switch users with: \(run: "login", "--switch")")
  }

  /// The same error, with a hint for a context at an identity provider.
  fileprivate var atProvider: CommandError {
    // The library does not say whether passwords were refused; a provider means its requests.
    if let wait { return CommandError(.wait(wait), .throttledAtProvider) }
    if let hint = Self.hintsAtProvider[code] { return withHint(hint) }
    let ownHints: [ErrorCode] = [.notAtProvider, .clientRefused, .clientForgotten, .idTokenMissing]
    if ownHints.contains(where: { $0.code == code }) { return self }
    // The session is kept, but only a login renews it.
    if code == "login_needed" { return CommandError(.logInFirst, code, message, hint: "Log in with: \(run: "login")") }
    return status == .logInFirst ? withHint("Log in with: \(run: "login")") : self
  }

  /// Hints for users, by code; the hints of the library are for the author of an app.
  private static var hintsAtProvider: [String: Hint] {
    let own: Hint = "Register auth-cli at the provider yourself, and pass the client id that you get with --client-id."
    let client: Hint = "Check --client-id, and how the program is registered at the provider."
    return [
      ErrorCode.passwordNotRecent.code: "Enter it again at the provider: \(run: "reauth")",
      "oauth_misconfigured":
        "Check the address after --provider or --resource. If it is right, ask the provider's administrators.",
      "oauth_pkce_not_announced":
        "Ask the provider's administrators. To accept that, because you trust the provider, add --allow-missing-pkce.",
      "oauth_no_registration": own, "oauth_registration_refused": own,
      "oauth_no_user": "Log out first, or switch to the new login with: \(run: "login", "--switch")",
      "oauth_invalid_client": client, "oauth_unauthorized_client": client,
      "oauth_invalid_client_metadata": "Check --scope: the provider registers no client with these settings.",
      "oauth_invalid_scope": "Check --scope: the provider does not grant this access.",
    ]
  }
}

/// Runs `body`, and gives its error a hint for a context at an identity provider.
///
/// `settings` are what the context remembers: a client that the program registered itself is not
/// the user's to check.
func atProvider<Value>(
  _ settings: ProviderSettings? = nil, _ body: () async throws(CommandError) -> Value
) async throws(CommandError) -> Value {
  do throws(CommandError) { return try await body() } catch {
    let isUnknown = ["oauth_invalid_client", "oauth_unauthorized_client"].contains(error.code)
    if let settings, isUnknown, settings.resource?.registration != nil {
      throw CommandError(code: .clientForgotten, settings.issuer.escaped)
    }
    throw error.atProvider
  }
}

extension OAuthError: CommandFailure {
  var asCommandError: CommandError {
    switch self {
    case .rejected(let rejection):
      switch rejection.kind {
      case .denied: CommandError(code: .loginDenied)
      case .expired, .otherUser: CommandError(code: .loginExpired)
      case .foreignResponse: CommandError(code: .loginForeign)
      }
    case .throttled(let throttle): CommandError(throttle, .throttledAtProvider)
    case .unavailable(let cause) where cause.code == ErrorCode.redirectPortUnusable.code && cause.values.count == 2:
      CommandError(code: .redirectPortUnusable, cause.values[0], cause.values[1])
    case .unavailable(let cause): CommandError(cause)
    }
  }
}
