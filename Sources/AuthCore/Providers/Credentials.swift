/// A password as the user typed it.
///
/// It never prints its content.
///
/// The bytes are UTF-8 and not normalised; the authority normalises them before it hashes them.
public struct Password: Hashable, Sendable, Redacted {
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

/// A user name and a password.
public struct Credentials: Hashable, Sendable, Redacted {
  /// The name to log in with.
  public let username: String
  /// The password as typed.
  public let password: Password

  /// Creates credentials.
  public init(username: String, password: Password) {
    self.username = username
    self.password = password
  }
}
