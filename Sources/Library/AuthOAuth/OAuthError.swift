public import AuthCore
import TextFormat

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

  /// Another user logged in than the one of the session.
  public static let otherUser = OAuthRejection(kind: .otherUser)

  /// The reasons of this version, for a `switch` inside this package.
  package enum Kind: Hashable, Sendable { case denied, expired, foreignResponse, otherUser }

  package let kind: Kind

  /// A stable name for programs, in snake case: the code of the error of a command whose login has
  /// ended in this way.
  public var code: String {
    switch kind {
    case .denied: "login_denied"
    case .expired: "login_expired"
    case .foreignResponse: "login_foreign"
    case .otherUser: "login_other_user"
    }
  }

  package var words: ErrorWords {
    switch kind {
    case .denied: ("The login was not allowed.", "Log in again, and allow the access.")
    case .expired: ("The code expired before it was used.", "Log in again.")
    case .foreignResponse: ("The answer does not belong to this login.", "Log in again.")
    case .otherUser:
      ("The login is not one of the user of this session.", "Log in as the same user, or log out first.")
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

  /// A token that no vault could save.
  static var tooLong: OAuthError { unusable("The server's token has more than 12288 bytes.") }

  /// Settings that cannot work.
  static func misconfigured(_ description: String) -> OAuthError {
    oauth("misconfigured", description, hint: "Check the app's settings and the server's addresses.")
  }

  /// An answer to a login that names another server, or none although this one always does (RFC
  /// 9207, section 2.4).
  static func otherIssuer(_ found: String?, than issuer: String) -> OAuthError {
    let shown = found.flatMap { $0.isSafeURL && $0.utf8.count <= 200 ? "names the issuer \($0), not" : nil }
    let reason = found == nil ? "does not say that it comes from" : shown ?? "names another issuer than"
    return oauth(
      "other_issuer", "The answer to the login is refused: it \(reason) \(issuer).",
      hint: "Log in again. If that happens again, tell the server's administrators.")
  }

  /// A token that the server cannot end before it expires.
  static func notRevocable(_ code: String) -> OAuthError {
    .unavailable(
      Unavailability(
        .unsupported, "The server cannot end this token.", hint: "It expires there by itself.", code: "oauth_\(code)"))
  }

  /// The same error for the caller of a command, with the reason for which a login has ended.
  func ofCommand<Other>(_ rejection: (LoginRefusal) -> Other) -> AuthorityError<Other> {
    map { ended in
      let (description, hint) = ended.words
      return rejection(LoginRefusal(ended.code, description, hint: hint))
    }
  }

  /// The meaning of an error of the token endpoint.
  func ofTokens(isRenewal: Bool) -> OAuthError {
    let ends = isRenewal ? ["invalid_grant", "invalid_token", "expired_token"] : ["invalid_grant", "invalid_code"]
    if isRefused(ends) { return .rejected(.expired) }
    // A condition that the user can lift (OpenID Connect Core 1.0, section 3.1.2.6).
    let conditions = ["interaction_required", "login_required", "consent_required"]
    if isRenewal, let code = conditions.first(where: { isRefused($0) }) {
      return .unavailable(.loginNeeded("The server wants to see the user again: \(code)."))
    }
    // What idpyoidc answers for a spent token. Other servers mean the form, so it ends nothing.
    if isRenewal, isRefused("invalid_request") {
      return .unavailable(
        Unavailability(
          .refused, "The server refused to renew the session: invalid_request.", hint: "Try again in a minute.",
          code: "oauth_invalid_request"))
    }
    // The server did not look at the token (RFC 6749, section 5.2), so it is not spent.
    if isRenewal, isRefused("invalid_client", "unauthorized_client"), case .unavailable(let cause) = self {
      return .unavailable(
        Unavailability(
          cause.cause, cause.description, hint: cause.hint, code: cause.code, values: cause.values, isUnsent: true))
    }
    return self
  }

  /// Whether the server answered, though not with what was asked.
  var isAnswer: Bool {
    switch self {
    case .rejected: true
    case .throttled: false
    case .unavailable(let cause): cause.cause == .unparsable && cause.code != "oauth_misconfigured"
    }
  }

  /// The server answered for another user than before.
  static var otherUser: OAuthError {
    oauth("other_user", "The server answered for another user.", hint: "Log in again.")
  }

  /// A login that the server granted, but whose user is not known.
  static func unfinished(_ failure: OAuthError) -> OAuthError {
    let cause: Unavailability? = if case .unavailable(let cause) = failure { cause } else { nil }
    let isInvalid = ["oauth_invalid_id_token", "oauth_invalid_user"].contains(cause?.code)
    let hint = isInvalid ? failure.hint : "Log in again."
    return .unavailable(
      Unavailability(
        cause?.cause ?? .busy,
        "\(failure) So it is not known who logged in. The server keeps this login, which nobody uses.",
        hint: "\(hint) The unused login ends at the server by itself, or in the user's account there.",
        code: cause.flatMap { isInvalid || $0.code == "oauth_no_user" ? $0.code : nil } ?? "oauth_login_unfinished"))
  }

  /// The error for a code that the server sent, and what it says about it.
  ///
  /// A code that no standard knows is shown, if it looks like one, but is no code of this library.
  static func refused(_ code: String, _ words: String? = nil) -> OAuthError {
    let isKnown = serverCodes.contains(code)
    let shown = isKnown || code.wholeMatch(of: /[A-Za-z0-9_.\-]{1,64}/) != nil ? code : "unknown_error"
    let mayPass = ["temporarily_unavailable", "server_error"].contains(code)
    return oauth(
      isKnown ? code : "unknown_error", "The server refused the request: \(shown).\(words.map { " " + $0 } ?? "")",
      hint: mayPass ? "Try again later." : "Check the app's settings at the server.")
  }

  /// Whether the server refused the request with one of these codes of the standards, whatever it
  /// said about it.
  func isRefused(_ codes: String...) -> Bool { isRefused(codes) }

  func isRefused(_ codes: [String]) -> Bool {
    if case .unavailable(let cause) = self { codes.contains { cause.code == "oauth_" + $0 } } else { false }
  }

  /// The `error_description` of a server, marked as its words; nil if it sent none, or one with a
  /// secret of the request.
  static func words(_ claims: OAuthClaims, from host: String, hiding secrets: [String] = []) -> String? {
    guard let text = claims["error_description"], !text.isEmpty,
      !secrets.contains(where: { !$0.isEmpty && text.contains($0) })
    else { return nil }
    let longest = 300
    let shown = TextEscaping.escape(String(text.prefix(longest)).replacing("\"", with: "'"))
    // Entra ID: the number by which the administrators find the request.
    let number = claims["correlation_id"].flatMap { $0.isVisible && $0.utf8.count <= 64 ? $0 : nil }
    let reference = number.map { " (reference \($0))" }
    return "\(host) says: \"\(shown)\(text.count > longest ? "..." : "")\"\(reference ?? "")."
  }
}

/// RFC 6749, sections 4.1.2.1 and 5.2; RFC 6750, section 3.1; RFC 7009, section 2.2.1; RFC 8628,
/// section 3.5; OpenID Connect Core 1.0, section 3.1.2.6; RFC 8707, section 2; RFC 7591, section
/// 3.2.2.
private let serverCodes: Set = [
  "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
  "invalid_scope", "invalid_token", "invalid_code", "access_denied", "unsupported_response_type", "server_error",
  "temporarily_unavailable",
  "unsupported_token_type", "authorization_pending", "slow_down", "expired_token", "login_required",
  "interaction_required", "consent_required", "account_selection_required", "invalid_target", "invalid_redirect_uri",
  "invalid_client_metadata",
]
