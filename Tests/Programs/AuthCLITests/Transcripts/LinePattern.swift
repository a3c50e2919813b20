import Glibc

/// An expected line: literal, or with `(re)`, `(glob)` or `(esc)` at its end.
enum LinePattern {
  /// Whether a line in the form of `OutputLine.visible`, indented, is what this line expects.
  static func matches(_ line: String, _ actual: String) -> Bool {
    if line == actual || OutputLine.visible(line) == actual { return true }
    if line.hasSuffix(" (re)") { return expression(String(line.dropLast(" (re)".count)), matches: actual) }
    return line.hasSuffix(" (glob)") && glob(String(line.dropLast(" (glob)".count)), matches: actual)
  }

  /// An invalid expression matches nothing, as in cram.
  private static func expression(_ pattern: String, matches actual: String) -> Bool {
    (try? Regex(pattern)).map { actual.wholeMatch(of: $0) != nil } ?? false
  }

  /// `*` is any run of bytes, `?` any byte, and a backslash makes the next of `*`, `?` or backslash
  /// literal.
  ///
  /// fnmatch(3) also has sets of characters, and a backslash before anything.
  static func glob(_ pattern: String, matches actual: String) -> Bool {
    let plain = pattern.replacing(/\\[*?\\]|[\\\[]/) { $0.output.count == 2 ? $0.output : "\\\($0.output)" }
    return fnmatch(plain, actual, 0) == 0
  }
}
