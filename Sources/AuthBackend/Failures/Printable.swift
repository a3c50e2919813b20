extension String {
  /// The text with every character escaped that could move a cursor, hide, reorder or break a line.
  ///
  /// Control and format characters, line and paragraph separators and unassigned scalars become
  /// `\u{1B}`, or `\n`, `\r`, `\t`. Emoji and several scripts join with two format characters,
  /// which reorder nothing and are left.
  public var printable: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.mustBeEscaped: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text as one word of a command to type, harmless to print.
  ///
  /// Between single quotes, or in the form `$'…'` of POSIX.1-2024 where something must be escaped.
  package var shellWord: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else {
      return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
    var result = "$'"
    for scalar in unicodeScalars {
      if scalar == "'" || scalar == "\\" {
        result += "\\"
        result.unicodeScalars.append(scalar)
      } else if scalar.mustBeEscaped {
        for byte in UTF8.encode(scalar) ?? .init() {
          result += "\\" + String(byte / 64) + String(byte / 8 % 8) + String(byte % 8)
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }
}

extension Unicode.Scalar {
  fileprivate var mustBeEscaped: Bool { isUnsafeToPrint && !isJoiner }

  /// Whether the scalar joins its neighbours or keeps them apart: U+200C and U+200D, which reorder
  /// nothing.
  var isJoiner: Bool { value == 0x200C || value == 0x200D }

  /// Whether the scalar can move a cursor, hide, reorder or break a line, or is unassigned.
  package var isUnsafeToPrint: Bool {
    if value >= 0x20 && value < 0x7F { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    default: return false
    }
  }
}
