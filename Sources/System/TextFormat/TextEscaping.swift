/// Makes untrusted text safe to print.
///
/// Control characters could move the cursor, set the title or answer for the user. Direction marks
/// could make text look different from its meaning (Boucher and Anderson, "Trojan Source", 2021).
/// They are printed as escapes, in ASCII.
package enum TextEscaping {
  /// The bytes as printable text: invalid UTF-8 becomes `\xHH`, unprintable characters become
  /// `\u{H}`.
  package static func escape(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return escape(text) }
    var result = ""
    var rest = Array(bytes)[...]
    while let byte = rest.first {
      let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      result += scalar.map(escape) ?? "\\x" + Hex.text([byte]).uppercased()
      rest.removeFirst(scalar?.utf8.count ?? 1)
    }
    return result
  }

  /// The text with all unprintable characters replaced.
  package static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
    return text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n", "\r", "\t": scalar.escaped(asASCII: true)
      case _ where scalar.isUnprintable: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      case _: String(scalar)
      }
    }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether a scalar controls the terminal or the text order instead of being visible, or is
  /// unassigned.
  ///
  /// The two joiners do not reorder text and can be printed.
  package var isUnprintable: Bool {
    if value < 0x7F { return value < 0x20 }
    if isForDrawing { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    case .format: return !isJoiner
    case _: return false
    }
  }

  /// Whether the scalar is for drawing screens: a line or a block, U+2500 to U+259F, or dots.
  ///
  /// Looking up the Unicode properties of a scalar is slow, and most non-ASCII scalars of a frame
  /// are of this kind.
  package var isForDrawing: Bool { value >= 0x2500 && value < 0x25A0 || isDots }

  /// Whether the scalar is dots in a cell of Braille, of which a chart consists: U+2800 to U+28FF.
  package var isDots: Bool { value >= 0x2800 && value < 0x2900 }

  /// Whether the scalar joins or separates its neighbours: U+200C and U+200D, which are part of
  /// words in several scripts, and of emoji.
  package var isJoiner: Bool { value == 0x200C || value == 0x200D }
}

extension String {
  package var escaped: String { TextEscaping.escape(self) }
}
