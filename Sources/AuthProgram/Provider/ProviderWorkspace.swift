import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// What a command works with at an identity provider.
final class ProviderWorkspace: ContextWorkspace {
  let settings: ProviderSettings
  let authority: OAuthAuthority

  /// Nothing is read or sent yet.
  init(_ place: ContextPlace, _ printer: Printer, _ settings: ProviderSettings, onlyTokens: Bool = false) {
    let clock = BootClock()
    self.settings = settings
    let authority = settings.authority(clock: clock, onlyTokens: onlyTokens)
    self.authority = authority
    let vault = place.vault(for: settings.tokenIssuer)
    super.init(place, printer, vault: vault, authority: authority, stored: vault, clock: clock)
  }

  /// The access token in the session file.
  var savedToken: AccessToken? {
    if case .token(_, let details) = vault.look() { details.accessToken } else { nil }
  }

  /// An access token that is valid for some time, renewed if need be.
  ///
  /// If the provider's tokens are valid for less, it is one that was granted just now.
  func accessToken(validFor minimum: Duration) async throws(CommandError) -> AccessToken {
    let before = savedToken
    _ = try await session()
    // The first renewal may only find the token of another process.
    for _ in 1...2 {
      if let token = savedToken, try token.isValid(for: minimum, by: clock) { return token }
      try await explainedAsync { () throws(SessionError) in try await store.renew() }
      if let token = savedToken, token != before, try token.isValid(for: .zero, by: clock) { return token }
    }
    // The provider grants no other one.
    if let token = savedToken, try token.isValid(for: .zero, by: clock) { return token }
    throw CommandError(code: .noAccessToken)
  }

  /// Reads the session file again, and returns the reason if the session could not be checked.
  func look() async -> CommandError? {
    if store.session != nil { return await store.checkAgain() }
    guard case .obstructed(let obstacle) = await store.restore() else { return nil }
    return CommandError(obstacle)
  }
}

extension AccessToken {
  /// Whether servers accept it for some time from now on, as far as the authority said.
  func isValid(for minimum: Duration, by clock: any SessionClock) throws(CommandError) -> Bool {
    let now = try explained { () throws(ClockError) in try clock.now() }
    return deadline.phase(at: now.advanced(by: minimum)) == .ahead
  }
}

extension Deadlines {
  /// How long a token is valid, as a sentence.
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
  /// The same error, with what to do about it at an identity provider.
  var atProvider: CommandError {
    guard status == .logInFirst else { return self }
    return withHint(
      code == ErrorCode.passwordNotRecent.code
        ? "Enter it again at the provider: \(run: "reauth")" : "Log in with: \(run: "login")")
  }
}

extension OAuthError: CommandFailure {
  var asCommandError: CommandError {
    switch self {
    case .rejected(let rejection):
      switch rejection.kind {
      case .denied: CommandError(code: .loginDenied)
      case .expired: CommandError(code: .loginExpired)
      case .foreignResponse: CommandError(code: .loginForeign)
      }
    case .throttled(let throttle): CommandError(throttle, .throttledAtProvider)
    case .unavailable(let cause): CommandError(cause)
    }
  }
}
