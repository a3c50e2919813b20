/// A value that never shows its content in `description`, `debugDescription`, `dump` or a mirror.
///
/// Adopt it in each type that holds a secret; it then prints only the name of the type.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type and nothing of its value.
  public var description: String { "\(Self.self)(redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
