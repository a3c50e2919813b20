public import AuthCore
import Guards
import TextFormat

/// A login in the browser: authorization code with PKCE (RFC 7636), as RFC 8252 and RFC 9700 ask.
///
/// Open ``url`` in the user's browser, and give the address that it returns to back here. The
/// request takes one answer.
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
public final class AuthorizationRequest: Sendable, Redacted {
  /// What to open in the browser, never in a view that the app can look into (RFC 8252, section
  /// 8.12).
  public let url: String
  private let authority: OAuthAuthority
  private let redirectURI: String
  private let isPrompting: Bool
  private let state = randomText()
  private let verifier = randomText()
  private let isAnswered = Gatekeeper()

  init(_ authority: OAuthAuthority, redirectURI: String, isPrompting: Bool) throws(OAuthError) {
    guard let endpoint = authority.server.authorizationEndpoint, SafeURL.accepts(endpoint) else {
      throw .misconfigured("The server has no secure address for logins.")
    }
    self.authority = authority
    self.redirectURI = redirectURI
    self.isPrompting = isPrompting
    var fields = authority.client.parameters
    if isPrompting { (fields["prompt"], fields["max_age"]) = ("login", "0") }
    fields.merge([
      "response_type": "code", "client_id": authority.client.id, "redirect_uri": redirectURI, "state": state,
      "code_challenge": Base64URL.text(SHA256.hash(Array(verifier.utf8))), "code_challenge_method": "S256",
    ]) { $1 }
    fields["scope"] = authority.client.scope
    url = endpoint + (endpoint.contains("?") ? "&" : "?") + Form.text(fields)
  }

  /// Takes the address that the browser returned to.
  ///
  /// - Returns: Credentials for a login or a reauthentication of the store. They serve once.
  /// - Throws: `rejected`: ``OAuthRejection/foreignResponse`` when the address does not answer this
  ///   request, and then the right one may still come; ``OAuthRejection/denied`` when the user said
  ///   no. Otherwise `unavailable`, with the code of the server.
  public func credentials(from address: String) throws(OAuthError) -> Credentials {
    let parts = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
    guard parts.count == 2, parts[0] == redirectURI, let fields = Form.fields(parts[1]), fields["state"] == state,
      fields["iss"] == authority.server.issuer || fields["iss"] == nil && !authority.server.namesIssuer,
      isAnswered.attemptPassage()
    else { throw .rejected(.foreignResponse) }
    if let error = fields["error"] { throw error == "access_denied" ? .rejected(.denied) : .refused(error) }
    guard let code = fields["code"], !code.isEmpty else { throw .rejected(.foreignResponse) }
    let login = Login(
      isFresh: isPrompting,
      form: ["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": verifier])
    return authority.register(.code(Secret(code), verifier: Secret(verifier)), login)
  }
}

/// 256 bits of the system's randomness.
func randomText() -> String {
  var source = SystemRandomNumberGenerator()
  return Base64URL.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &source) })
}

/// The form for the token endpoint that credentials of this authority stand for.
///
/// The authority stores it in memory, so it sends no credentials that a person typed or another
/// authority created.
struct Login: Sendable {
  /// Whether the server was asked to let the user enter the password.
  let isFresh: Bool
  let form: [String: String]
}
