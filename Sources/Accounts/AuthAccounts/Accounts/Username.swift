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

  /// The accepted form, as the end of a sentence; ``init(_:)`` checks it.
  package static let rule =
    "1 to 64 letters a-z, digits, '.', '_' or '-', beginning with a letter or a digit"

  /// Checks and folds what was typed.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` that says the accepted form.
  public init(_ typed: String) throws(BackendError) {
    let bytes = Array(typed.utf8)
    guard (1...64).contains(bytes.count), let first = bytes.first, first.isASCIIAlphanumeric,
      bytes.allSatisfy({ $0.isASCIIAlphanumeric || Array("._-".utf8).contains($0) })
    else {
      throw .invalid(.usernameInvalid, bytes.count > 64 ? "a name of \(bytes.count) bytes" : TextEscaping.quote(bytes))
    }
    canonical = typed.lowercased()
  }

  /// The canonical form of the name.
  public var description: String { canonical }
}
