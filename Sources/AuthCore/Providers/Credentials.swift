/// A password as it was typed.
///
/// It never prints itself.
///
/// The bytes are UTF-8, not normalised: that belongs to the authority that hashes them.
public struct Password: Hashable, Sendable, Redacted {
  /// The UTF-8 bytes.
  ///
  /// For an authority; do not log, print or keep them.
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

/// A name and the password that is said to belong to it.
public struct Credentials: Hashable, Sendable, Redacted {
  /// The name to log in with.
  public let username: String
  /// The password that was typed.
  public let password: Password

  /// Creates credentials.
  public init(username: String, password: Password) {
    self.username = username
    self.password = password
  }
}
