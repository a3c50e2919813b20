public import AuthCore
import Guards
import TextFormat

/// A login in the browser: authorization code with PKCE (RFC 7636), as RFC 8252 and RFC 9700
/// require.
///
/// Open ``url`` in the user's browser, and pass the address to which the browser returns to
/// ``credentials(from:)``. A request accepts one redirect.
///
/// ```swift
/// import AuthCore
/// import AuthOAuth
///
/// func logIn(
///   _ store: SessionStore, at authority: OAuthAuthority, browser: (String) async throws -> String
/// ) async throws -> LoginResult {
///   let request = try authority.authorization()
///   return try await store.logIn(try request.credentials(from: try await browser(request.url)))
/// }
/// ```
public struct AuthorizationRequest: Sendable, Redacted {
  /// The address to open in the browser.
  ///
  /// Do not open it in a view that the app can inspect (RFC 8252, section 8.12).
  public let url: String
  fileprivate let authority: OAuthAuthority
  fileprivate let redirectURI: String
  fileprivate let state: String
  fileprivate let verifier: String
  fileprivate let isPrompting: Bool
  private let isAnswered = Gatekeeper()

  /// Reads the address to which the browser returned.
  ///
  /// - Returns: Credentials for one login or reauthentication of the store.
  /// - Throws: `rejected` with ``OAuthRejection/foreignResponse`` if the address does not answer
  ///   this request; the right one may still come. `rejected` with ``OAuthRejection/denied`` if the
  ///   user refused. Otherwise `unavailable`, with the server's code.
  public func credentials(from address: String) throws(OAuthError) -> Credentials {
    let parts = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
    guard parts.count == 2, parts[0] == redirectURI, let fields = Form.fields(parts[1]), fields["state"] == state,
      fields["iss"] == authority.server.issuer || fields["iss"] == nil && !authority.server.namesIssuer,
      isAnswered.attemptPassage()
    else { throw .rejected(.foreignResponse) }
    if let error = fields["error"] { throw error == "access_denied" ? .rejected(.denied) : .refused(error) }
    guard let code = fields["code"], !code.isEmpty else { throw .rejected(.foreignResponse) }
    let form = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": verifier,
    ]
    return authority.register(
      .code(Secret(code), verifier: Secret(verifier)), OAuthLogin(form: form, isFresh: isPrompting))
  }
}

extension OAuthAuthority {
  /// Begins a login in the browser.
  ///
  /// - Parameters:
  ///   - redirectURI: The address to which the browser returns, for a port that was chosen just now
  ///     (RFC 8252, section 7.3); nil for the one of the client.
  ///   - prompting: Asks the server to prompt for the password (`prompt=login`), which makes the
  ///     session fresh. A server may silently ignore it.
  /// - Returns: The address to open, and the reader of the redirect.
  /// - Throws: `oauth_misconfigured` if the server has no secure address for logins.
  public func authorization(
    redirectURI: String? = nil, prompting: Bool = false
  ) throws(OAuthError) -> AuthorizationRequest {
    let endpoint = try server.address(of: .authorization)
    let redirectURI = redirectURI ?? client.redirectURI
    let (state, verifier) = (Self.randomText(), Self.randomText())
    var fields: [String: String?] = client.parameters
    if prompting { (fields["prompt"], fields["max_age"]) = ("login", "0") }
    fields.merge([
      "response_type": "code", "client_id": client.id, "redirect_uri": redirectURI, "state": state,
      "scope": client.scope, "code_challenge": Base64URL.text(SHA256.hash(Array(verifier.utf8))),
      "code_challenge_method": "S256",
    ]) { $1 }
    return AuthorizationRequest(
      url: endpoint + (endpoint.contains("?") ? "&" : "?") + Form.text(fields), authority: self,
      redirectURI: redirectURI, state: state, verifier: verifier, isPrompting: prompting)
  }

  /// 256 bits of the system's randomness.
  static func randomText() -> String {
    var source = SystemRandomNumberGenerator()
    return Base64URL.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &source) })
  }
}
