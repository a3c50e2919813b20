public import AuthCore

/// Why an authorization gave no credentials.
public enum OAuthError: Hashable, ExplainedError {
  /// The user or the server said no.
  case denied
  /// The code expired, or the server no longer accepts it.
  case expired
  /// The address that came back does not answer this request; nothing of it was used.
  case foreignResponse
  /// The server refused the request; its code is one of the standards'.
  case refused(String)
  /// The server cannot be used with these settings.
  case misconfigured(String)
  /// The server asks to wait before the next request.
  case throttled(Throttle)
  /// The server could not be asked.
  case unavailable(Unavailability)
}

extension OAuthError: WordedError {
  package var words: ErrorWords {
    let settings = "Check the app's settings at the server."
    return switch self {
    case .denied: ErrorWords("The login was not allowed.", hint: "Log in again, and allow the access.")
    case .expired: ErrorWords("The code expired before it was used.", hint: "Log in again.")
    case .foreignResponse: ErrorWords("The answer does not belong to this login.", hint: "Log in again.")
    case .refused(let code): ErrorWords("The server refused the request: \(code).", hint: settings)
    case .misconfigured(let what): ErrorWords(what, hint: settings)
    case .throttled(let throttle): throttle.words
    case .unavailable(let cause): ErrorWords(cause)
    }
  }
}

extension OAuthError {
  /// Creates the error for a code that the server sent.
  ///
  /// Other text of the server is not repeated, because it may contain anything.
  init(code: String) {
    self = code == "access_denied" ? .denied : .refused(Self.codes.contains(code) ? code : "unknown_error")
  }

  /// RFC 6749, sections 4.1.2.1 and 5.2; RFC 7009, section 2.2.1; RFC 8628, section 3.5; OpenID
  /// Connect Core 1.0, section 3.1.2.6.
  private static let codes: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "unsupported_response_type", "server_error", "temporarily_unavailable",
    "unsupported_token_type", "authorization_pending", "slow_down", "expired_token", "login_required",
    "interaction_required", "consent_required", "account_selection_required",
  ]

  /// The error of a command: only an expired code or token is a rejection.
  func error<Rejection>(_ rejection: Rejection) -> AuthorityError<Rejection> {
    switch self {
    case .expired: .rejected(rejection)
    case .throttled(let throttle): .throttled(throttle)
    case .denied, .foreignResponse, .refused, .misconfigured, .unavailable: .unavailable(unavailability)
    }
  }

  var unavailability: Unavailability {
    switch self {
    case .unavailable(let cause): cause
    case .throttled: Unavailability(.busy, description, hint: hint)
    case .refused(let code): .oauth(code, description, hint: hint)
    case .denied, .expired, .foreignResponse, .misconfigured: .oauth("refused", description, hint: hint)
    }
  }
}

extension Unavailability {
  /// A response that this library cannot use.
  static func oauth(_ code: String, _ description: String, hint: String = "Try again later.") -> Unavailability {
    Unavailability(.unparsable, description, hint: hint, code: "oauth_\(code)")
  }

  static let unusable = oauth("unparsable", "The server's answer cannot be used.")
  static let noRefreshToken = oauth(
    "no_refresh_token", "The server gave no refresh token.", hint: "Ask for the scope that gives one.")
  static let otherUser = oauth("other_user", "The server answered for another user.", hint: "Log in again.")
}
