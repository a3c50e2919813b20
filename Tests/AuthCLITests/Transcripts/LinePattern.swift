/// An expected line: literal, or with `(re)`, `(glob)` or `(esc)` at its end.
struct LinePattern {
  private let line: [UInt8]

  init(_ line: [UInt8]) {
    self.line = line
  }

  /// Whether a line in the form of `OutputLine.visible`, indented, is what this line expects.
  func matches(_ actual: [UInt8]) -> Bool {
    if line == actual || OutputLine.visible(line) == actual { return true }
    if let pattern = Self.strip(" (re)", from: line) { return Self.expression(pattern, matches: actual) }
    if let pattern = Self.strip(" (glob)", from: line) { return Self.glob(pattern[...], matches: actual[...]) }
    return false
  }

  private static func strip(_ suffix: String, from line: [UInt8]) -> [UInt8]? {
    line.count >= suffix.utf8.count && line.suffix(suffix.utf8.count) == Array(suffix.utf8)[...]
      ? Array(line.dropLast(suffix.utf8.count)) : nil
  }

  /// An invalid expression matches nothing, as in cram.
  private static func expression(_ pattern: [UInt8], matches actual: [UInt8]) -> Bool {
    guard let regex = try? Regex(String(decoding: pattern, as: UTF8.self)) else { return false }
    return String(decoding: actual, as: UTF8.self).wholeMatch(of: regex) != nil
  }

  /// `*` is any run of bytes, `?` any byte, and a backslash makes the next of `*`, `?` or backslash
  /// literal.
  static func glob(_ pattern: ArraySlice<UInt8>, matches actual: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return actual.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case UInt8(ascii: "*"):
      return (actual.startIndex...actual.endIndex).contains { glob(rest, matches: actual[$0...]) }
    case UInt8(ascii: "?"):
      return !actual.isEmpty && glob(rest, matches: actual.dropFirst())
    case UInt8(ascii: "\\"):
      if let next = rest.first, special.contains(next) {
        return actual.first == next && glob(rest.dropFirst(), matches: actual.dropFirst())
      }
      return actual.first == first && glob(rest, matches: actual.dropFirst())
    default:
      return actual.first == first && glob(rest, matches: actual.dropFirst())
    }
  }

  private static let special = Array(#"*?\"#.utf8)
}
