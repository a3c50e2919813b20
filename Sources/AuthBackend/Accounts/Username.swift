import TextFormat

/// A name to log in with, in its one canonical form.
///
/// 1 to 64 of the letters a to z, digits, `.`, `_` and `-`, beginning with a letter or a digit;
/// capital letters are accepted and mean the same. Only ASCII, so that no two names look alike and
/// none can steer a terminal; a name is never part of a path.
/// Source: Unicode TR 39, section 3.1, for why mixed scripts are refused.
public struct Username: Hashable, Sendable, CustomStringConvertible {
  /// The form that is stored and compared: lower case.
  public let canonical: String

  /// What is accepted, as the end of a sentence: this is the rule that ``init(_:)`` holds a name
  /// against.
  package static let rule =
    "1 to 64 letters a-z, digits, '.', '_' or '-', beginning with a letter or a digit"

  /// Checks and folds what was typed.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` that says the accepted form.
  public init(_ typed: String) throws(BackendError) {
    let bytes = Array(typed.utf8)
    guard (1...64).contains(bytes.count), let first = bytes.first, Self.isAlphanumeric(first),
      bytes.allSatisfy({ Self.isAlphanumeric($0) || Array("._-".utf8).contains($0) })
    else {
      let shown = bytes.count > 64 ? "A name of \(bytes.count) bytes" : "'\(typed.escaped)'"
      throw .usernameInvalid(shown)
    }
    canonical = typed.lowercased()
  }

  /// What a deleted account's name is kept as.
  package var reservation: [UInt8] { SHA256.hash(Array(canonical.utf8)) }

  /// The canonical form.
  public var description: String { canonical }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case _: false
    }
  }
}
