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
    guard (1...64).contains(bytes.count), bytes[0] != UInt8(ascii: "."), bytes[0] != UInt8(ascii: "-"),
      bytes[0] != UInt8(ascii: "_"), bytes.allSatisfy(Self.isAllowed)
    else { return nil }
    description = text
  }

  private init(unchecked text: String) {
    description = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case _: ".-_".utf8.contains(byte)
    }
  }
}
