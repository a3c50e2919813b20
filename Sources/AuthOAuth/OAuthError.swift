public import AuthCore

/// Why an authorization gave no credentials.
///
/// `unavailable` has a code that begins with `oauth_`: the code of the server's refusal, such as
/// `oauth_invalid_scope`, or `oauth_misconfigured` for settings that cannot work.
public typealias OAuthError = AuthorityError<OAuthRejection>

/// Why a login at the server has ended without credentials.
public struct OAuthRejection: Hashable, Sendable, Worded {
  /// The user or the server refused the login.
  public static let denied = OAuthRejection(kind: .denied)
  /// The code expired, or the server no longer accepts it.
  public static let expired = OAuthRejection(kind: .expired)
  /// The address does not answer this request and was ignored; the right one may still come.
  public static let foreignResponse = OAuthRejection(kind: .foreignResponse)

  /// The reasons of this version, for a `switch` inside this package.
  package enum Kind: Hashable, Sendable { case denied, expired, foreignResponse }

  package let kind: Kind

  package var words: ErrorWords {
    switch kind {
    case .denied: ("The login was not allowed.", "Log in again, and allow the access.")
    case .expired: ("The code expired before it was used.", "Log in again.")
    case .foreignResponse: ("The answer does not belong to this login.", "Log in again.")
    }
  }
}

extension AuthorityError where Rejection == OAuthRejection {
  static func oauth(_ code: String, _ description: String, hint: String) -> OAuthError {
    .unavailable(Unavailability(.unparsable, description, hint: hint, code: "oauth_\(code)"))
  }

  /// A response that this library cannot use.
  static func unusable(_ description: String = "The server's answer cannot be used.") -> OAuthError {
    oauth("unparsable", description, hint: "Try again later.")
  }

  /// Settings that cannot work.
  static func misconfigured(_ description: String) -> OAuthError {
    oauth("misconfigured", description, hint: "Check the app's settings and the server's addresses.")
  }

  /// A token that the server cannot end before it expires.
  static func notRevocable(_ code: String) -> OAuthError {
    .unavailable(
      Unavailability(
        .unsupported, "The server cannot end this token.", hint: "It expires there by itself.", code: "oauth_\(code)"))
  }

  /// A code that expired before a password check.
  static var expiredLogin: OAuthError {
    let (description, hint) = OAuthRejection.expired.words
    return .unavailable(Unavailability(.unparsable, description, hint: hint, code: "login_expired"))
  }

  static var otherUser: OAuthError {
    oauth("other_user", "The server answered for another user.", hint: "Log in again.")
  }

  /// The error for a code that the server sent.
  ///
  /// Other text of the server is not repeated, because it may contain anything.
  static func refused(_ code: String) -> OAuthError {
    let code = serverCodes.contains(code) ? code : "unknown_error"
    return oauth(code, "The server refused the request: \(code).", hint: "Check the app's settings at the server.")
  }
}

/// RFC 6749, sections 4.1.2.1 and 5.2; RFC 6750, section 3.1; RFC 7009, section 2.2.1; RFC 8628,
/// section 3.5; OpenID Connect Core 1.0, section 3.1.2.6.
private let serverCodes: Set = [
  "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
  "invalid_scope", "invalid_token", "invalid_code", "access_denied", "unsupported_response_type", "server_error",
  "temporarily_unavailable",
  "unsupported_token_type", "authorization_pending", "slow_down", "expired_token", "login_required",
  "interaction_required", "consent_required", "account_selection_required",
]
