import TextFormat

/// The name of one of several logins on a device.
///
/// It has 1 to 64 ASCII letters, digits, `.`, `_` and `-`, and starts with a letter or a digit,
/// because it becomes part of a file name.
public struct ContextName: Hashable, Sendable, CustomStringConvertible {
  /// The name as given.
  public let description: String

  /// The default context.
  public static let standard = ContextName(unchecked: "default")

  /// Checks a name.
  ///
  /// - Returns: Nil if `text` is not a valid name.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...64).contains(bytes.count), bytes[0].isASCIIAlphanumeric,
      bytes.allSatisfy({ $0.isASCIIAlphanumeric || ".-_".utf8.contains($0) })
    else { return nil }
    description = text
  }

  private init(unchecked text: String) {
    description = text
  }
}
