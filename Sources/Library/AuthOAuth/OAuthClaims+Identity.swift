public import AuthCore
import TextFormat

// The ID token, which names the user (OpenID Connect Core 1.0, section 2).
extension OAuthClaims {
  /// The claims of the ID token in an answer of the token endpoint; nil if there is none, or an
  /// encrypted one.
  ///
  /// The signature is not checked: the server itself sent the token over TLS (section 3.1.3.7,
  /// point 6). A token that says that it has no signature is refused all the same.
  ///
  /// - Throws: If the token cannot be read.
  func identity() throws(OAuthError) -> OAuthClaims? {
    guard let text = self["id_token"], !text.isEmpty else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    // An encrypted token (RFC 7516).
    if parts.count == 5 { return nil }
    guard parts.count == 3, let header = Base64URL.bytes(parts[0]).flatMap({ OAuthClaims($0) }),
      let algorithm = header["alg"], let claims = OAuthClaims(identity: text)
    else { throw .invalidIdentity("it cannot be read") }
    guard algorithm.lowercased() != "none" else { throw .invalidIdentity("it has no signature (alg)") }
    return claims
  }

  /// The claims of an ID token, without any check; nil if it cannot be read.
  init?(identity text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let claims = Base64URL.bytes(parts[1]).flatMap({ OAuthClaims($0) }) else { return nil }
    self = claims
  }

  /// Checks that an ID token with these claims is one of this server for this client, and not of
  /// another login (section 3.1.3.7, points 2 to 5, 9 and 11).
  ///
  /// - Parameters:
  ///   - origin: The server and the client.
  ///   - now: The time of the wall clock, in seconds since 1970.
  ///   - nonce: What the login sent; nil if it sent none.
  /// - Throws: `oauth_invalid_id_token` with the claim that is wrong or missing.
  func checkIdentity(for origin: Origin, at now: Int64, nonce: String?) throws(OAuthError) {
    guard subject != nil else { throw .invalidIdentity("it names nobody (sub)") }
    guard self["iss"] == origin.issuer else { throw .invalidIdentity("it is one of another server (iss)") }
    let audience = self["aud"].map { [$0] } ?? list("aud")
    guard audience.contains(origin.client) else { throw .invalidIdentity("it is for another client (aud)") }
    guard (self["azp"] ?? origin.client) == origin.client, audience.count == 1 || self["azp"] != nil else {
      throw .invalidIdentity("it is for another client (azp)")
    }
    // The clocks of two machines differ.
    guard let end = moment("exp"), end > now - Self.clockDifference else {
      throw .invalidIdentity(
        "it has expired (exp)",
        hint: "Check the clock of this machine. If it is right, tell the server's administrators.")
    }
    if let nonce, self["nonce"] != nonce { throw .invalidIdentity("it belongs to another login (nonce)") }
  }

  /// The largest difference between the clocks of two machines, in seconds.
  private static let clockDifference: Int64 = 300

  /// A moment in seconds since 1970, in a range in which differences cannot overflow.
  private func moment(_ name: String) -> Int64? {
    let latest: Int64 = 1 << 40
    guard let seconds = seconds(name, in: -1...latest)?.components.seconds, (0..<latest).contains(seconds) else {
      return nil
    }
    return seconds
  }

  /// How long before this ID token the user entered the password; nil if the token does not say
  /// (section 2, `auth_time`).
  var passwordAge: Duration? {
    guard let issued = moment("iat"), let entered = moment("auth_time") else { return nil }
    return .seconds(issued - entered)
  }
}

extension AuthorityError where Rejection == OAuthRejection {
  /// An ID token that does not name the user of this login.
  static func invalidIdentity(
    _ reason: String, hint: String = "Log in again. If it happens again, tell the server's administrators."
  ) -> OAuthError {
    oauth("invalid_id_token", "The server's ID token cannot be accepted: \(reason).", hint: hint)
  }
}

extension User {
  /// Whether the server of an ``OAuthAuthority`` named this user.
  ///
  /// Otherwise nothing but one login identifies the user: two logins are never of the same user,
  /// none can be confirmed with another one, and the names may be anybody's.
  public var isIdentified: Bool { !id.rawValue.hasPrefix(Self.unidentified) }

  /// The start of the id of a user whom the server does not name; that of others starts with the
  /// address of the server.
  private static let unidentified = "login "

  /// The user as one of this server, because another one may have a user with the same id.
  ///
  /// An id that is `login` means that the server does not name the user of that login.
  func ofServer(_ issuer: String, unlessOnlyOf login: String) -> User {
    let own = id.rawValue
    return User(
      id: UserID(rawValue: own == login ? "\(Self.unidentified)\(own) at \(issuer)" : "\(issuer) \(own)"),
      username: username, displayName: displayName, role: role, attributes: attributes)
  }
}
