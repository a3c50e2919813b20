/// The terminal sessions of a Markdown file, as one: its `console` blocks in their order, in one
/// shell.
///
/// Lines that begin with `$ ` are commands, with `> ` their continuation, and the rest is what they
/// print. `…` stands for any text within a line, and alone on a line for any number of lines.
/// Statuses are not shown, as on a terminal.
struct ReadmeSession {
  private let lines: [Substring]

  init(_ file: Markdown) {
    lines = file.lines(in: "console")
  }

  /// The README, and the article that goes on where it ends.
  static let documents = Markdown(
    ["README.md", "Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc/UseTheProgram.md"].map {
      (try? TextFile.read(BuiltExecutable.repository + "/" + $0)) ?? ""
    }.joined(separator: "\n"))

  var isEmpty: Bool { lines.isEmpty }

  /// What is typed, without the continuations.
  var commands: [String] {
    lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }

  /// The same session as a transcript, in the home that every transcript begins with.
  func transcript(name: String) -> Transcript {
    let indented = lines.map { "  \($0)\n" }.joined()
    return Transcript(name: name, contents: "  $ . \"$TESTDIR/setup.sh\"\n\(indented)")
  }

  /// What a reader would see, line by line, in a run of that transcript.
  static func visible(in run: TranscriptRun) -> [String] {
    run.actual.map { String($0.dropFirst(2)) }.filter { $0.wholeMatch(of: /\[\d+\]/) == nil }
  }

  /// Whether `actual`, without its first line, reads as the file says.
  func matches(_ actual: [String]) -> Bool {
    Self.match(lines[...], actual.dropFirst())
  }

  private static func match(_ expected: ArraySlice<Substring>, _ actual: ArraySlice<String>) -> Bool {
    guard let line = expected.first else { return actual.isEmpty }
    let rest = expected.dropFirst()
    if line == "…" { return (actual.startIndex...actual.endIndex).contains { match(rest, actual[$0...]) } }
    guard let text = actual.first else { return false }
    let literal = line.replacing(/[*?\\]/) { "\\\($0.output)" }
    return LinePattern.glob(String(literal.replacing("…", with: "*")), matches: text) && match(rest, actual.dropFirst())
  }
}
