/// A password, a code or another secret, as the user typed it or a server gave it.
///
/// It never prints its content.
///
/// The bytes of a password are UTF-8 and not normalised; the authority normalises them before it
/// hashes them.
public struct Secret: Hashable, Sendable, Redacted {
  /// The UTF-8 bytes.
  ///
  /// Only an authority needs them; do not log, print or store them.
  public let bytes: [UInt8]

  /// Wraps bytes that were read from a terminal or a pipe.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Wraps a string.
  public init(_ string: String) {
    self.init(bytes: Array(string.utf8))
  }
}

/// What a user or a server gives to begin a session.
///
/// An authority rejects a kind that it does not support with ``CredentialsRejection/notAccepted``.
/// Frozen: a later version adds no case.
public enum Credentials: Hashable, Sendable, Redacted {
  /// A user name and a password as typed.
  case password(username: String, password: Secret)
  /// The code from a login at a server, with the verifier of the request (PKCE, RFC 7636).
  case code(Secret, verifier: Secret)
  /// A token that proves the login, such as one from a link in an e-mail.
  case token(Secret)
}

// No account has an empty name or an empty password, so these begin no session with the wrong kind.
extension Credentials {
  /// The user name; empty for a code and a token.
  package var username: String {
    if case .password(let username, _) = self { username } else { "" }
  }

  /// The password; empty for a code and a token.
  package var password: Secret {
    if case .password(_, let password) = self { password } else { Secret("") }
  }
}
