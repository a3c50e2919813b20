/// The secret that identifies a session to its authority.
///
/// It never prints its content and is never `Codable`.
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

/// A value that never shows its content in `description`, `debugDescription`, `dump` or a mirror.
///
/// Adopt it in each type that holds a secret; the value then prints only the name of its type.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type, without its content.
  public var description: String { "\(Self.self)(redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
