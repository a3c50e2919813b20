public import AuthCore
import ConcurrencyKit
import TextFormat

extension OAuthAuthority {
  /// Begins a login in the browser: authorization code with PKCE (RFC 7636), as RFC 8252 and RFC
  /// 9700 require.
  ///
  /// Open the address in the user's browser, but not in a view that the app can inspect (RFC 8252,
  /// section 8.12). Pass the address to which the browser returns to ``credentials(from:)``.
  ///
  /// ```swift
  /// import AuthCore
  /// import AuthOAuth
  ///
  /// func logIn(
  ///   _ store: SessionStore, at authority: OAuthAuthority, browser: (String) async throws -> String
  /// ) async throws -> LoginResult {
  ///   let url = try authority.authorizationURL(redirectURI: "com.example.app:/login")
  ///   return try await store.logIn(try authority.credentials(from: try await browser(url)))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - redirectURI: The address to which the browser returns: a scheme of your app, or a port of
  ///     this machine that was chosen just now (RFC 8252, section 7).
  ///   - prompting: Asks the server to prompt for the password (`prompt=login`). The session is
  ///     fresh only if the server's ID token says that it did (`auth_time`).
  ///   - parameters: Further parameters of your server; they replace none of the standard ones.
  ///     With `prompting`, a `prompt` among them is added, and a `max_age` is not sent.
  /// - Returns: The address to open in the browser.
  /// - Throws: `oauth_misconfigured` if the server has no secure address for logins, or a browser
  ///   would change the redirect address: it has a query, a fragment, or upper-case letters before
  ///   the path, or is one of `http` with the default port.
  public func authorizationURL(
    redirectURI: String, prompting: Bool = false, parameters: [String: String] = [:]
  ) throws(OAuthError) -> String {
    let endpoint = try server.address(of: .authorization)
    guard redirectURI.isReturnedUnchanged else {
      throw .misconfigured(
        "A browser does not return to this address as it is written: \(redirectURI.debugDescription).")
    }
    let (state, verifier, nonce) = (Self.randomText(), Self.randomText(), Self.randomText())
    let form = ["grant_type": "authorization_code", "redirect_uri": redirectURI, "code_verifier": verifier]
    let login = Login(form: form, nonce: nonce, prompted: prompting ? try now() : nil)
    requests.withLock { $0[state] = login }
    var fields: [String: String?] = parameters
    if prompting {
      let others = (parameters["prompt"] ?? "").split(separator: " ").filter { $0 != "login" && $0 != "none" }
      fields["prompt"] = (["login"] + others).joined(separator: " ")
      // It makes the server say when the user entered the password. Glewlwyd refuses 0.
      fields["max_age"] = "\(max(1, freshness.components.seconds))"
    }
    fields.merge([
      "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI, "state": state, "scope": scope,
      "code_challenge": Base64URL.text(SHA256.hash(Array(verifier.utf8))), "code_challenge_method": "S256",
      "nonce": nonce,
    ]) { $1 }
    return endpoint + (endpoint.contains("?") ? "&" : "?") + Form.text(fields, resources: resources)
  }

  /// Whether the server opens its login page for this client, or does not say.
  ///
  /// A server that has forgotten a client shows an error to the user, and the browser never
  /// returns. So it is asked before the browser opens, with a request of its own, whose answer is
  /// ignored.
  package func isKnown(redirectURI: String, parameters: [String: String]) async throws(OAuthError) -> Bool {
    let url = try authorizationURL(redirectURI: redirectURI, parameters: parameters)
    let request = OAuthRequest(method: "GET", url: url, headers: ["Accept": "text/html"], body: [])
    // A server may refuse programs that are no browser, or too many requests.
    guard let status = try? await server.response(to: request).status else { return true }
    return !(400...499).contains(status) || [403, 405, 406, 429].contains(status)
  }

  /// Reads the address to which the browser returned.
  ///
  /// Each ``authorizationURL(redirectURI:prompting:parameters:)`` accepts one.
  ///
  /// - Returns: Credentials for one login or reauthentication of the store.
  /// - Throws: `rejected` with ``OAuthRejection/foreignResponse`` if the address answers no request
  ///   of this authority; the right one may still come. `rejected` with ``OAuthRejection/denied``
  ///   if the user refused. Otherwise `unavailable`, with the server's code, or with
  ///   `oauth_other_issuer` if the answer names another server (RFC 9207).
  public func credentials(from address: String) throws(OAuthError) -> Credentials {
    let parts = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
    guard parts.count == 2, let fields = Form.fields(parts[1]), let state = fields["state"],
      fields["error"] != nil || fields["code"]?.isEmpty == false,
      let request = requests.withLock({ $0[state] }),
      request.form["redirect_uri"]?.isReturned(as: String(parts[0])) == true,
      // Of two calls with one address, only the one that removes it continues.
      requests.withLock({ $0.removeValue(forKey: state) }) != nil
    else { throw .rejected(.foreignResponse) }
    // Only the server and who it told know the state: nothing better will come for this login.
    guard fields["iss"] == server.issuer || fields["iss"] == nil && !server.namesIssuer else {
      throw .otherIssuer(fields["iss"], than: server.issuer)
    }
    if let error = fields["error"] {
      let words = OAuthError.words(OAuthClaims(members: fields.mapValues { .string($0) }), from: server.issuer.host)
      throw error == "access_denied" ? .rejected(.denied) : .refused(error, words)
    }
    var login = request
    login.form["code"] = fields["code"]
    return credentials(for: login)
  }

  /// The login that an address began, in a form for storage: another process of the app can then
  /// continue it.
  ///
  /// A system may end an app while the user logs in. Save this where the vault is, because it has
  /// the secret of the login (PKCE); pass it to ``resumeLogin(_:)`` at the next start, and then
  /// delete it.
  ///
  /// - Parameter url: What ``authorizationURL(redirectURI:prompting:parameters:)`` returned.
  /// - Returns: Nil if the login was answered, or is not one of this authority.
  public func pendingLogin(of url: String) -> Secret? {
    guard let query = url.split(separator: "?", maxSplits: 1).last, let state = Form.fields(query)?["state"],
      let login = requests.withLock({ $0[state] })
    else { return nil }
    return Secret(
      Form.text([
        "iss": server.issuer, "client_id": clientID, "state": state, "redirect_uri": login.form["redirect_uri"],
        "code_verifier": login.form["code_verifier"], "nonce": login.nonce,
        "prompted": login.prompted.map { "\($0.boot.high) \($0.boot.low) \($0.uptime.attoseconds)" },
      ]))
  }

  /// Continues a login that another process began: ``credentials(from:)`` then accepts its answer,
  /// once.
  ///
  /// - Parameter saved: What ``pendingLogin(of:)`` returned there.
  /// - Returns: False if it is a login at another server or of another client, or unreadable.
  public func resumeLogin(_ saved: Secret) -> Bool {
    guard let fields = Form.fields(saved.bytes), fields["iss"] == server.issuer,
      fields["client_id"] == clientID, let state = fields["state"], let redirectURI = fields["redirect_uri"],
      let verifier = fields["code_verifier"], let nonce = fields["nonce"]
    else { return false }
    let form = ["grant_type": "authorization_code", "redirect_uri": redirectURI, "code_verifier": verifier]
    let words = (fields["prompted"] ?? "").split(separator: " ")
    var login = Login(form: form, nonce: nonce)
    if words.count == 3, let high = UInt64(words[0]), let low = UInt64(words[1]), let uptime = Int128(words[2]) {
      login.prompted = BootInstant(boot: BootID(high: high, low: low), uptime: Duration(attoseconds: uptime))
    }
    requests.withLock { $0[state] = login }
    return true
  }

  /// 256 bits of the system's randomness.
  static func randomText() -> String { Base64URL.text((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
}

extension String {
  /// Whether a browser writes the address of a redirect in this way, so that the answer matches it.
  fileprivate var isReturnedUnchanged: Bool {
    guard isVisible, !contains("?"), !contains("#"), !contains("/../"), !contains("/./") else { return false }
    guard hasPrefix("http:") || hasPrefix("https:") else { return prefixMatch(of: /[a-z][a-z0-9+.\-]*:/) != nil }
    let host = prefixMatch(of: /https?:\/\/(?:[a-z0-9.\-]+|\[[a-f0-9:]+\])(?::([0-9]+))?(?:\/|$)/)
    return host.map { $0.1 != (hasPrefix("http:") ? "80" : "443") } ?? false
  }

  /// Whether a redirect to this address comes back at `other`: browsers, systems and servers add a
  /// slash to an address that ends before its path.
  fileprivate func isReturned(as other: String) -> Bool {
    other == self || other == self + "/" && wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/[^\/]+/) != nil
  }
}
