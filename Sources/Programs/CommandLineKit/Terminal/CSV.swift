import TextFormat

/// Comma-separated values, for spreadsheets and scripts.
///
/// Source: RFC 4180. Lines end in CR and LF. A field with a comma, a semicolon or a quote is
/// written in quotes, and a quote inside is doubled.
package enum CSV {
  /// One line without its LF, which the output adds.
  ///
  /// This escapes the fields, so that none contains a line ending; a nil field is empty.
  package static func line(_ fields: [String?]) -> String {
    fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\r"
  }

  private static func field(_ text: String) -> String {
    let text = TextEscaping.escape(isFormula(text) ? "'" + text : text)
    // In a locale with a decimal comma, spreadsheets separate fields with semicolons.
    guard text.utf8.contains(where: ",;\"".utf8.contains) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Whether a spreadsheet would execute the text as a formula.
  ///
  /// An apostrophe in front prevents that. Source: OWASP, "CSV Injection", including the full-width
  /// characters.
  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    else { return false }
    // A number with a sign is not a formula.
    return Double(text) == nil || !text.utf8.dropFirst().allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
  }
}
