/// Makes text from outside harmless to print.
///
/// Control characters could move the cursor, set the title or answer for the user. Marks of writing
/// direction could show one text and mean another (Boucher and Anderson, "Trojan Source", 2021).
/// They are printed as escapes, in ASCII.
package enum TextEscaping {
  /// The bytes as printable text: invalid UTF-8 becomes `\xHH`, what must not be printed `\u{H}`.
  package static func escape(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return escape(text) }
    var result = ""
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let length = sequenceLength(first)
      if length <= rest.count, let text = String(validating: rest.prefix(length), as: UTF8.self) {
        result += escape(text)
        rest.removeFirst(length)
      } else {
        result += "\\x" + hex(UInt32(first), digits: 2)
        rest.removeFirst()
      }
    }
    return result
  }

  /// The text with everything replaced that must not be printed.
  package static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isUnprintable: result += "\\u{\(hex(scalar.value, digits: 1))}"
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func sequenceLength(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    case _: 1
    }
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

extension DefaultStringInterpolation {
  /// Inserts text from outside in its harmless form.
  package mutating func appendInterpolation(escaping text: String) {
    appendInterpolation(TextEscaping.escape(text))
  }

  /// Inserts bytes from outside in their harmless form.
  package mutating func appendInterpolation(escaping bytes: some Collection<UInt8>) {
    appendInterpolation(TextEscaping.escape(bytes))
  }
}

extension Unicode.Scalar {
  /// Whether a scalar acts on the terminal or on the order of the text instead of showing itself,
  /// or is unassigned.
  ///
  /// The two joiners reorder nothing and can be printed.
  package var isUnprintable: Bool {
    if value < 0x7F { return value < 0x20 }
    if isLineOrBlock { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    case .format: return !isJoiner
    case _: return false
    }
  }

  /// Whether screens are drawn with the scalar: the lines and blocks of U+2500 to U+259F.
  ///
  /// To look up what Unicode says of a scalar takes long, and these are most of a frame that is not
  /// ASCII.
  package var isLineOrBlock: Bool { value >= 0x2500 && value < 0x25A0 }

  /// Whether the scalar joins its neighbours or keeps them apart: U+200C and U+200D, which are part
  /// of words in several scripts, and of emoji.
  package var isJoiner: Bool { value == 0x200C || value == 0x200D }
}

extension String {
  /// The text in its harmless form.
  package var escaped: String { TextEscaping.escape(self) }
}
