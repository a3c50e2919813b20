/// The secret that identifies a session to its authority.
///
/// It never prints itself and is never `Codable`.
public struct SessionToken: Hashable, Sendable, Redacted {
  /// The secret bytes.
  ///
  /// Only an authority or a vault needs them; do not log, print or copy them.
  public let bytes: [UInt8]

  /// Wraps the bytes that an authority issued or a vault held.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}
