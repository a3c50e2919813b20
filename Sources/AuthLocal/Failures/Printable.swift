extension String {
  /// The text with everything escaped that could move a cursor, hide, reorder or break a line.
  ///
  /// Control and format characters, line and paragraph separators and unassigned scalars become `\u{…}`; a backslash is
  /// doubled, so that the original can be told from its escape.
  public var printable: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar == "\\" {
        result += "\\\\"
      } else if scalar.mustBeEscaped {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  fileprivate var mustBeEscaped: Bool { self == "\\" || isTreacherous }

  /// Whether the scalar can move a cursor, hide, reorder or break a line, or means nothing yet.
  var isTreacherous: Bool {
    if value >= 0x20 && value < 0x7F { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    default: return false
    }
  }
}
