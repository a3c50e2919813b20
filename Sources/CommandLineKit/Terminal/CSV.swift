/// Comma-separated values, for spreadsheets and scripts.
///
/// Source: RFC 4180: lines end in CR and LF, and a field with a comma, a quote or a line end is
/// written in quotes, in which a quote is doubled.
package enum CSV {
  /// One line without its LF, which the output adds.
  ///
  /// A field that is nil is empty.
  package static func line(_ fields: [String?]) -> String {
    fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\r"
  }

  private static func field(_ text: String) -> String {
    let special = Array(",\"\r\n".utf8)
    guard text.utf8.contains(where: special.contains) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
