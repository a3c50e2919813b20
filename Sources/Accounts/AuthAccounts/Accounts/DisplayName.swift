import TextFormat

/// A name that screens show: 1 to 64 characters of printable text, without spaces at its ends.
///
/// A joiner (U+200C, U+200D) is part of words in several scripts, and of emoji; it is accepted
/// between two characters.
package struct DisplayName {
  package let text: String

  /// The accepted form, as the end of a sentence; ``init(_:)`` checks it.
  package static let rule =
    "1 to 64 characters that can be seen, without a space or a joiner at either end"

  private static let largestBytes = 256

  /// - Throws: ``BackendError`` of kind `invalid` that says the accepted form.
  package init(_ typed: String) throws(BackendError) {
    if let reason = Self.objection(to: typed) {
      let shown = typed.utf8.count > Self.largestBytes ? "this text" : "'\(typed.escaped)'"
      throw .invalid(.displayNameInvalid, shown, reason)
    }
    text = typed
  }

  /// The fault of a name, as a clause after "it"; nil for a valid name.
  private static func objection(to name: String) -> String? {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, let last = scalars.last else { return "is empty" }
    if name.utf8.count > largestBytes { return "has \(name.utf8.count) bytes; at most \(largestBytes) are accepted" }
    if name.count > 64 { return "has \(name.count) characters; at most 64 are accepted" }
    if let found = scalars.first(where: { $0.isUnprintable }) {
      return "contains \(found.nameOfKind) (\(found.codePoint))"
    }
    if let found = scalars.first(where: \.isBlank) {
      return "contains a character that looks like nothing (\(found.codePoint))"
    }
    // A variation selector changes the look of the character before it, and there is none.
    if first.properties.isVariationSelector { return "begins with a variation selector" }
    if first.properties.isWhitespace || last.properties.isWhitespace { return "begins or ends with a space" }
    if first.isJoiner || last.isJoiner { return "begins or ends with a joiner" }
    return nil
  }
}

extension Unicode.Scalar {
  /// Whether a scalar is assigned and printable, and shows nothing: a filler of Hangul, a vowel of
  /// Khmer that is not drawn, the blank of Braille.
  ///
  /// Source: Unicode Standard, 5.21, "Ignoring Characters in Processing".
  fileprivate var isBlank: Bool {
    if value == 0x2800 { return true }
    return properties.isDefaultIgnorableCodePoint && !isJoiner && !properties.isVariationSelector
  }

  /// The notation of Unicode, such as `U+2800`.
  package var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// The kind of an unprintable scalar, with its article.
  package var nameOfKind: String {
    switch properties.generalCategory {
    case .control: "a control character"
    case .format: "an invisible formatting character"
    case .lineSeparator, .paragraphSeparator: "a line break"
    case .unassigned: "a character that Unicode has not assigned"
    case .privateUse: "a private-use character"
    case _: "a character that cannot be shown"
    }
  }
}
