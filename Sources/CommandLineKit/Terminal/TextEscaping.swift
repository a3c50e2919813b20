/// Makes text from outside harmless to print.
///
/// Control characters could move the cursor, set the title or answer for the user; marks of writing direction could show one
/// text and mean another (Boucher and Anderson, "Trojan Source", 2021). They are printed as what they are, in ASCII.
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
    guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isUnprintable(scalar): result += "\\u{\(hex(scalar.value, digits: 1))}"
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether a character acts on the terminal or on the order of the text instead of showing itself.
  package static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 }
    if scalar.value < 0xA0 { return true }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    // Emoji and several scripts join with these two; they reorder nothing.
    case .format: return scalar.value != 0x200C && scalar.value != 0x200D
    case _: return false
    }
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
