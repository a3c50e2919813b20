/// A value that never shows what it holds: not in `description`, `debugDescription`, `dump` or a mirror.
///
/// A type that holds a secret adopts this and says only its own name.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type and nothing of its value.
  public var description: String { "\(Self.self)(redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
