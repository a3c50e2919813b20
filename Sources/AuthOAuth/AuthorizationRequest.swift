public import AuthCore
import AuthDevice
import Guards
import TextFormat

/// A login in the browser: authorization code with PKCE (RFC 7636), as RFC 8252 and RFC 9700 ask.
///
/// Open ``url`` in the user's browser, and give the address that it returns to back here. The request
/// takes one answer.
///
/// ```swift
/// import AuthCore
/// import AuthOAuth
///
/// func logIn(
///   _ store: SessionStore, at authority: OAuthAuthority, browser: (String) async throws -> String
/// ) async throws -> LoggedInSession {
///   let request = try authority.authorization()
///   return try await store.logIn(try request.credentials(from: try await browser(request.url)))
/// }
/// ```
public final class AuthorizationRequest: Sendable, Redacted {
  /// What to open in the browser, never in a view that the app can look into (RFC 8252, section
  /// 8.12).
  public let url: String
  private let server: OAuthServer
  private let redirectURI: String
  private let isPrompting: Bool
  private let state = randomText()
  private let verifier = randomText()
  private let isAnswered = Gatekeeper()

  init(_ authority: OAuthAuthority, redirectURI: String, isPrompting: Bool) throws(OAuthError) {
    guard let endpoint = authority.server.authorizationEndpoint, SafeURL.accepts(endpoint) else {
      throw .misconfigured("The server has no secure address for logins.")
    }
    server = authority.server
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
  /// - Returns: Credentials for a login of the store. A reauthentication takes their password. They
  ///   serve once.
  /// - Throws: `foreignResponse` when the address does not answer this request, and then the right
  ///   one may still come; `denied` when the user said no.
  public func credentials(from address: String) throws(OAuthError) -> Credentials {
    let parts = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
    guard parts.count == 2, parts[0] == redirectURI, let fields = Form.fields(parts[1]), fields["state"] == state,
      fields["iss"] == server.issuer || fields["iss"] == nil && !server.namesIssuer, isAnswered.attemptPassage()
    else { throw .foreignResponse }
    if let error = fields["error"] {
      throw error == "access_denied" ? .denied : .refused(Exchange.codes.contains(error) ? error : "unknown_error")
    }
    guard let code = fields["code"], !code.isEmpty else { throw .foreignResponse }
    return Login(
      issuer: server.issuer, isFresh: isPrompting,
      form: ["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": verifier]
    ).credentials
  }
}

/// 256 bits of the system's randomness.
func randomText() -> String {
  var source = SystemRandomNumberGenerator()
  return Base64URL.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &source) })
}

/// What credentials of this module hold: the form for the token endpoint.
struct Login {
  let issuer: String
  /// Whether the server was asked to let the user enter the password.
  let isFresh: Bool
  let form: [String: String]

  var credentials: Credentials {
    let all = form.merging(["issuer": issuer, "fresh": "\(isFresh)"]) { $1 }
    return Credentials(username: "", password: Password(Form.text(all)))
  }
}

extension Login {
  /// Nil for a password that a person typed, which is never sent anywhere, and for a form that is
  /// meant for another server.
  init?(_ password: Password, of server: OAuthServer) {
    guard var form = Form.fields(String(decoding: password.bytes, as: UTF8.self)),
      form.removeValue(forKey: "issuer") == server.issuer, let fresh = form.removeValue(forKey: "fresh")
    else { return nil }
    self.init(issuer: server.issuer, isFresh: fresh == "true", form: form)
  }
}
