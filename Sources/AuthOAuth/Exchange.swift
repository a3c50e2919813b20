import AuthCore
import TextFormat

/// Why a request brought no answer that can be used; a rejection is a code of the standards.
typealias Refusal = AuthorityError<String>

extension AuthorityError<String> {
  /// The error of a command: only `invalid_grant` is a rejection (RFC 6749, section 5.2).
  func error<Other>(_ rejection: Other) -> AuthorityError<Other> {
    switch self {
    case .rejected("invalid_grant"): .rejected(rejection)
    case .throttled(let throttle): .throttled(throttle)
    case .rejected, .unavailable: .unavailable(unavailability)
    }
  }

  var unavailability: Unavailability {
    switch self {
    case .rejected(let code):
      .oauth(code, OAuthError.refused(code).description, hint: OAuthError.refused(code).hint)
    case .throttled: Unavailability(.busy, "The server asks to wait.")
    case .unavailable(let cause): cause
    }
  }

  var error: OAuthError {
    if case .rejected(let code) = self { .refused(code) } else { .unavailable(unavailability) }
  }
}

/// Does `body`, and gives its refusal as the error of a command.
func answering<Rejection, Value>(
  _ rejection: Rejection, _ body: () async throws(Refusal) -> Value
) async throws(AuthorityError<Rejection>) -> Value {
  do throws(Refusal) { return try await body() } catch { throw error.error(rejection) }
}

extension Unavailability {
  /// An answer that this library cannot use.
  static func oauth(_ code: String, _ description: String, hint: String = "Try again later.") -> Unavailability {
    Unavailability(.unparsable, description, hint: hint, code: "oauth_\(code)")
  }
}

/// Sends requests to the server, and judges what comes back.
struct Exchange: Sendable {
  var client: OAuthClient?
  let send: OAuthTransport

  /// Reads a document; nil when it is not there.
  func find(_ url: String) async throws(Refusal) -> OAuthClaims? {
    let response = try await answer("GET", url)
    return response.status == 404 ? nil : try claims(of: response)
  }

  /// Reads what an access token opens.
  func get(_ url: String, with token: String) async throws(Refusal) -> OAuthClaims {
    try claims(of: try await answer("GET", url, ["Authorization": "Bearer \(token)"]))
  }

  /// Posts a form as this client; nil for an answer that needs no content, as `isSilent` says (RFC
  /// 7009, section 2.2).
  func post(_ url: String, _ form: [String: String], isSilent: Bool = false) async throws(Refusal) -> OAuthClaims? {
    var form = form
    form["client_id"] = client?.id
    form["client_secret"] = client?.secret.map { String(decoding: $0.bytes, as: UTF8.self) }
    let type = ["Content-Type": "application/x-www-form-urlencoded"]
    let response = try await answer("POST", url, type, Array(Form.text(form).utf8))
    return isSilent && response.status == 200 ? nil : try claims(of: response)
  }

  private func answer(
    _ method: String, _ url: String, _ headers: [String: String] = [:], _ body: [UInt8] = []
  ) async throws(Refusal) -> OAuthResponse {
    guard SafeURL.accepts(url) else {
      throw .unavailable(.oauth("insecure_address", "An address of the server is not secure.", hint: "Use https."))
    }
    let headers = headers.merging(["Accept": "application/json"]) { $1 }
    do {
      return try await send(OAuthRequest(method: method, url: url, headers: headers, body: body))
    } catch {
      // The transport's words may have the request in them, and so a secret.
      throw .unavailable(
        error is CancellationError
          ? Unavailability(.cancelled, "The request was cancelled.")
          : Unavailability(.unreachable, "The server cannot be reached."))
    }
  }

  private func claims(of response: OAuthResponse) throws(Refusal) -> OAuthClaims {
    let claims = OAuthClaims(response.body)
    switch response.status {
    case 200...299: if let claims { return claims }
    case 429:
      let seconds = response.header("retry-after").flatMap { Int($0) } ?? 30
      throw .throttled(.wait(.seconds(min(max(seconds, 1), 3600))))
    // Any other text is not repeated: it may hold anything.
    case 400...499: if let code = claims?["error"], Self.codes.contains(code) { throw .rejected(code) }
    case 500...599: throw .unavailable(Unavailability(.busy, "The server answered with status \(response.status)."))
    case _: break
    }
    throw .unavailable(.oauth("unparsable", "The server answered with status \(response.status), in an unknown form."))
  }

  /// RFC 6749, sections 4.1.2.1 and 5.2; RFC 7009, section 2.2.1; RFC 8628, section 3.5; OpenID
  /// Connect Core 1.0, section 3.1.2.6.
  static let codes: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "access_denied", "unsupported_response_type", "server_error", "temporarily_unavailable",
    "unsupported_token_type", "authorization_pending", "slow_down", "expired_token", "login_required",
    "interaction_required", "consent_required", "account_selection_required",
  ]
}

/// What the token endpoint gives (RFC 6749, section 5.1).
struct TokenAnswer {
  let access: AccessToken
  let refresh: String?
  let claims: OAuthClaims

  /// Nil when it is incomplete, not for a bearer (RFC 6750), or would end a line of a header.
  ///
  /// The lifetime counts from `asked`, when the request was sent.
  init?(_ claims: OAuthClaims?, asked: BootInstant) {
    guard let claims, let access = claims["access_token"], claims["token_type"]?.lowercased() == "bearer",
      [access, claims["refresh_token"] ?? "-"].allSatisfy(Self.isPlain)
    else { return nil }
    self.claims = claims
    refresh = claims["refresh_token"]
    let lifetime = claims["expires_in"].flatMap { Int64($0) }.map { Duration.seconds(min(max($0, 0), 1 << 31)) }
    self.access = AccessToken(access, deadline: lifetime.map { .at(asked.advanced(by: $0)) } ?? .never)
  }

  private static func isPlain(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
