import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// The access of a client at an identity provider, for a command.
///
/// It has no store and no session: nobody is logged in. So nothing that needs a user opens with it,
/// such as a guarded screen. The session file keeps the access token, and many processes renew it
/// under one lock, as that of a session.
struct ClientWorkspace {
  let location: ContextLocation
  let output: CommandOutput
  let settings: ClientSettings
  let vault: FileVault
  let clock: any SessionClock
  /// The longest wait for the request of another process.
  private static let lockWait = Duration.seconds(25)

  /// Creates the workspace, without reading or sending anything yet.
  init(_ location: ContextLocation, _ output: CommandOutput, _ settings: ClientSettings) {
    (self.location, self.output, self.settings, clock) = (location, output, settings, BootClock())
    vault = location.vault(for: settings.tokenIssuer)
  }

  /// What the session file has; nil after a logout.
  func saved() throws(CommandError) -> ClientGrant? {
    switch vault.read() {
    case .absent: return nil
    case .token(let name, let details): return ClientGrant(name, details)
    case .corrupt(let evidence): throw CommandError(evidence)
    case .unavailable(let failure): throw CommandError(failure)
    }
  }

  /// Requests the first token, and saves it with the settings.
  func logIn() async throws(CommandError) -> ClientGrant {
    // Checked before the request: a token that cannot be saved would be left at the provider.
    try explained { () throws(VaultError) in try vault.requireRoom() }
    let access = try settings.access(clock: clock)
    let grant: ClientGrant
    do throws(OAuthError) { grant = try await access.grant() } catch {
      throw refusal(error, status: .credentials) ?? CommandError(error)
    }
    do throws(VaultError) {
      // Nothing sends the name of a grant without its settings.
      try vault.saveProviderSettings(settings.content)
      try await vault.store(grant.name, grant.details)
    } catch {
      if let token = grant.access { try? await access.end(token) }
      throw CommandError(error)
    }
    rememberClientAuthentication(access)
    return grant
  }

  /// An access token that is valid for at least `minimum`, or a new one.
  ///
  /// One process requests it; the others wait, and get the same. No token is spent, so a process
  /// that is killed loses nothing: the next one requests another token.
  ///
  /// - Parameters:
  ///   - minimum: How long it must be valid; a new one is returned also if it is valid for less.
  ///   - refused: A token that must not be returned, because a server refused it.
  /// - Returns: The token.
  /// - Throws: ``CommandError`` after a logout, or if the provider grants no token.
  func accessToken(
    validFor minimum: Duration, insteadOf refused: AccessToken? = nil
  ) async throws(CommandError) -> AccessToken {
    guard var known = try saved() else { throw CommandError(code: .notLoggedIn) }
    if let token = try usable(known, for: minimum, insteadOf: refused) { return token }
    while true {
      let locked: ExchangeLockResult
      do throws(VaultError) { locked = try await vault.lockExchange(of: known.name, wait: Self.lockWait) } catch {
        throw CommandError(error)
      }
      switch locked {
      case .changed:
        guard let newer = try saved() else { throw CommandError(code: .notLoggedIn) }
        known = newer
        if let token = try usable(newer, for: .zero, insteadOf: refused) { return token }
      case .busy(let holder): throw CommandError(holder)
      case .failed(let cause):
        if let wait = cause.retryAfter { throw CommandError(.wait(wait), .throttledAtProvider) }
        throw refusal(.unavailable(cause), status: .logInFirst) ?? CommandError(cause)
      case .refused(let reason): throw .ended(reason)
      case .acquired(let lock): return try await renew(under: lock, insteadOf: refused)
      }
    }
  }

  /// The token of a grant, if it may be returned.
  private func usable(
    _ grant: ClientGrant, for minimum: Duration, insteadOf refused: AccessToken?
  ) throws(CommandError) -> AccessToken? {
    guard let token = grant.access, token.value != refused?.value, try token.isValid(for: minimum, by: clock) else {
      return nil
    }
    return token
  }

  /// Requests a token and saves it; the note of the lock shares a failure with those who wait.
  private func renew(
    under lock: any ExchangeLock, insteadOf refused: AccessToken?
  ) async throws(CommandError) -> AccessToken {
    let access: OAuthClientAccess
    do throws(CommandError) {
      access = try settings.access(clock: clock)
      // Not recorded: an answer that is lost is requested again.
      _ = try await explainedAsync { () async throws(VaultError) in try await lock.begin() }
    } catch {
      _ = try? await lock.release(.unsent)
      throw error
    }
    let grant: ClientGrant
    do throws(OAuthError) { grant = try await access.grant() } catch {
      _ = try? await lock.release(error.exchangeEnd)
      throw refusal(error, status: .logInFirst) ?? CommandError(error)
    }
    let isSaved = try await explainedAsync { () async throws(VaultError) in
      try await lock.release(.replaced(by: grant.name, grant.details))
    }
    rememberClientAuthentication(access)
    guard let token = grant.access, isSaved else {
      if let token = grant.access { try? await access.end(token) }
      // A login came first, or a logout.
      guard let newer = try saved(), let token = try usable(newer, for: .zero, insteadOf: refused) else {
        throw CommandError(code: .notLoggedIn)
      }
      return token
    }
    guard token.value != refused?.value else { throw CommandError(code: .accessTokenRefused) }
    guard try token.isValid(for: .zero, by: clock) else { throw CommandError(code: .noAccessToken) }
    return token
  }

  /// Ends the access here, and the token at the provider.
  ///
  /// - Returns: `complete`, `alreadyLoggedOut`, or `withoutRevocation` if the provider cannot
  ///   revoke tokens.
  /// - Throws: ``CommandError`` if the session file was not deleted, or the token was not revoked.
  func logOut() async throws(CommandError) -> LogoutResult {
    guard let grant = try saved() else { return .alreadyLoggedOut }
    var (result, failure) = (LogoutResult.complete, CommandError?.none)
    if let token = grant.access, try token.isValid(for: .zero, by: clock) {
      do throws(CommandError) {
        let access = try settings.access(clock: clock)
        do throws(OAuthError) { try await access.end(token) } catch {
          guard case .unavailable(let cause) = error, cause.cause == .unsupported else { throw CommandError(error) }
          result = .withoutRevocation
        }
      } catch { failure = error }
    }
    do throws(VaultError) { try await vault.erase(grant.name) } catch {
      let code = failure == nil && result == .complete ? ErrorCode.logoutNotErased : .logoutFailed
      throw CommandError(code: code, error.description.asClause)
    }
    if let failure {
      throw CommandError(
        code: .logoutAtProviderIncomplete, settings.provider.issuer.escaped, "the access token (\(failure.message))")
    }
    return result
  }

  /// Saves with the context how the client authenticated, if that was found out just now.
  private func rememberClientAuthentication(_ access: OAuthClientAccess) {
    guard settings.provider.clientSecret != nil, access.clientAuthentication != settings.provider.clientAuthentication
    else { return }
    var next = settings
    next.provider.clientAuthentication = access.clientAuthentication
    try? vault.saveProviderSettings(next.content, insteadOf: settings.content)
  }

  /// The error for a client that the provider does not accept; nil for another failure.
  private func refusal(_ error: OAuthError, status: ExitStatus) -> CommandError? {
    guard case .unavailable(let cause) = error, cause.cause == .refused else { return nil }
    let row = CommandError(
      code: .clientRefused, settings.provider.clientID.escaped,
      cause.code == Unavailability.Cause.refused.code
        ? "another process was refused just now" : cause.description.asClause)
    let hint: Hint
    if let file = settings.assertionFile {
      hint =
        "Check that \(file.escaped) has a current assertion for this client, and that the provider accepts its issuer."
    } else {
      hint =
        "Check the client at the provider. Give its secret again with: \(run: "login", "--client-secret-stdin")"
    }
    return CommandError(status, row.code, row.message, hint: hint)
  }
}

extension AuthorityError where Rejection == OAuthRejection {
  /// The end of a lock whose request failed so.
  fileprivate var exchangeEnd: ExchangeEnd {
    switch self {
    case .throttled(.wait(let time)):
      .unknown(Unavailability(.busy, "The provider asks to wait.", isUnsent: true, retryAfter: time))
    case .unavailable(let cause): .unknown(cause)
    case .rejected, .throttled(.locked): .unsent
    }
  }
}
