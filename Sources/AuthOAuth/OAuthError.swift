public import AuthCore

/// Why an authorization gave no credentials.
public enum OAuthError: Hashable, ExplainedError {
  /// The user or the server said no.
  case denied
  /// The code ended before the user entered it.
  case expired
  /// The address that came back does not answer this request; nothing of it was used.
  case foreignResponse
  /// The server refused the request; its code is one of the standards'.
  case refused(String)
  /// The server cannot be used with these settings.
  case misconfigured(String)
  /// The server could not be asked.
  case unavailable(Unavailability)

  /// What happened, in one sentence.
  public var description: String {
    switch self {
    case .denied: "The login was not allowed."
    case .expired: "The code expired before it was used."
    case .foreignResponse: "The answer does not belong to this login."
    case .refused(let code): "The server refused the request: \(code)."
    case .misconfigured(let what): what
    case .unavailable(let cause): cause.description
    }
  }

  /// What to do about it, in one sentence.
  public var hint: String {
    switch self {
    case .denied: "Log in again, and allow the access."
    case .expired, .foreignResponse: "Log in again."
    case .refused, .misconfigured: "Check the app's settings at the server."
    case .unavailable(let cause): cause.hint
    }
  }
}
