/// The secret that stands for one session at its authority.
///
/// It never prints itself and is never `Codable`.
public struct SessionToken: Hashable, Sendable, Redacted {
  /// The secret bytes.
  ///
  /// For an authority or a vault; do not log, print or copy them.
  public let bytes: [UInt8]

  /// Wraps the bytes that an authority issued or a vault kept.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}
