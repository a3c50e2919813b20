package import AuthCore
package import TextFormat

/// The newest ID token of a saved session, for servers that take it as a proof of the user, such as
/// the API servers of Kubernetes.
///
/// It was checked when it came; who gets it checks it again, with its signature.
package struct IdentityToken: Sendable, Redacted {
  /// The token itself; do not log or print it.
  package let value: String
  /// For whom it is: the client, and perhaps others.
  package let audience: [String]
  /// When the ID token expires.
  package let end: UTCTime
  /// Whether the server sends another one with a renewal; nil if that is not known yet.
  package let isRenewed: Bool?

  /// The ID token of a session; nil if there is none, and for a token of another authority.
  package init?(of session: SessionToken) {
    guard let saved = SavedSession(session), let text = saved.identity, let claims = OAuthClaims(identity: text),
      let end = claims.seconds("exp", in: 0...(1 << 40))
    else { return nil }
    (value, isRenewed) = (text, saved.renewsIdentity)
    audience = claims["aud"].map { [$0] } ?? claims.list("aud")
    self.end = UTCTime(seconds: end.components.seconds)
  }

  /// Whether it is valid for at least `minimum`.
  package func isValid(for minimum: Duration, at now: UTCTime = .now) -> Bool {
    end.seconds - now.seconds >= max(1, minimum.components.seconds)
  }
}

extension OAuthAuthority {
  /// The claims of the ID token that came with tokens, once they are checked; nil if there is none.
  ///
  /// It must repeat the `nonce` of the login; tokens of a renewal have none.
  func identity(of tokens: Tokens, nonce: String?) throws(OAuthError) -> OAuthClaims? {
    guard let identity = try tokens.claims.identity() else { return nil }
    try identity.checkIdentity(for: origin, at: wallClock(), nonce: nonce)
    return identity
  }

  /// The ID token of an answer, to be saved; nil if it is not kept, or not one of this user.
  func keptIdentity(of tokens: Tokens, subject: String?) -> String? {
    guard keepsIdentity, let text = tokens.claims["id_token"], text.isVisible,
      let claims = try? identity(of: tokens, nonce: nil), claims.subject == subject
    else { return nil }
    return text
  }
}
