import TextFormat

/// Computes the number of terminal columns of text.
///
/// The width applies to the grapheme cluster, as terminals draw it: two columns for wide East Asian
/// characters and emoji (Unicode Standard Annex 11), none for marks alone, one for the rest. The C
/// library's function depends on the locale, which may not be set.
package enum DisplayWidth {
  /// The columns of `text`, which must not contain characters that move the cursor.
  package static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// The prefix of `text` that fits, with an ellipsis in place of the rest.
  package static func truncate(_ text: String, to limit: Int) -> String {
    guard columns(text) > limit, limit > 0 else { return limit > 0 ? text : "" }
    var result = ""
    var used = 0
    for character in text {
      used += columns(character)
      guard used < limit else { break }
      result.append(character)
    }
    return result + "…"
  }

  /// `text` in lines of at most `limit` columns, all but the first behind `indent`.
  ///
  /// A line ends after a word; one that is wider than a line is broken where the line ends.
  package static func split(_ text: String, to limit: Int, indent: String) -> [String] {
    if columns(text) <= limit { return [text] }
    var lines: [String] = []
    var line = ""
    for character in text {
      let start = lines.isEmpty ? 0 : indent.count
      if columns(line) + columns(character) > limit, line.count > start {
        let space = character == " " ? line.endIndex : line.lastIndex(of: " ")
        if let space, line[..<space].contains(where: { $0 != " " }), columns(indent + line[space...]) <= limit {
          lines.append(String(line[..<space]))
          line = indent + line[space...].dropFirst()
        } else {
          lines.append(line)
          line = indent
        }
        if character == " " { continue }
      }
      line.append(character)
    }
    return lines + [line]
  }

  /// `text` followed by spaces up to `width` columns.
  package static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(text)))
  }

  /// The columns of one character with its marks.
  static func columns(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    // Most characters need no lookup.
    if character.utf8.count == 1 || character.utf8.count == 3 && scalars[scalars.startIndex].isForDrawing { return 1 }
    if scalars.contains(where: isWide) || scalars.contains("\u{FE0F}") { return 2 }
    return scalars.allSatisfy(isZeroWidth) ? 0 : 1
  }

  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    case _: false
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
      0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
      true
    case _: scalar.properties.isEmojiPresentation
    }
  }
}
