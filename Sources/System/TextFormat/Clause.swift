extension String {
  /// The sentence as a clause, for use after "auth-cli: ": without its capital and its full stop.
  package var asClause: String {
    let body = hasSuffix(".") ? String(dropLast()) : self
    let isPlain = body.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
    return isPlain ? body.prefix(1).lowercased() + body.dropFirst() : body
  }
}

extension String {
  /// The clause as a sentence of its own.
  package var asSentence: String {
    (hasPrefix("http") ? self : prefix(1).uppercased() + dropFirst()) + (last.map(".!?".contains) == false ? "." : "")
  }

  /// The text with values in place of each `{NAME}`.
  ///
  /// A value that is missing leaves its name.
  package func filled(from values: inout ArraySlice<String>) -> String {
    var text = ""
    for (index, part) in split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: "}") else {
        text += part
        continue
      }
      text += values.popFirst() ?? String(part[..<end])
      text += part[part.index(after: end)...]
    }
    return text
  }

  /// The text with each `{NAME}` as `NAME`.
  package func filled() -> String {
    var none: ArraySlice<String> = []
    return filled(from: &none)
  }
}
