/// A program that the compiler must refuse, and its twin, which differs in the offence alone and
/// must be accepted.
struct RefusedProgram {
  let source: String
  let twin: String?

  /// What is wrong with the pair, in words; nothing when the program is refused exactly as it says.
  func findings() async throws -> [String] {
    let expected = expectations
    if expected.isEmpty { return ["the program says nowhere '\(Self.marker)'"] }
    guard let twin else { return ["the program has no twin, so nothing shows that it is refused for its offence"] }
    let twinFindings = Self.difference(source, twin)
    async let errors = ClientCompiler.compile(source, as: .library)
    async let complaints = ClientCompiler.compile(twin, as: .library)
    return try await twinFindings
      + complaints.map { "the twin does not compile in silence: \($0)" }
      + Self.compare(expected, with: errors)
  }

  private var expectations: [Diagnostic] {
    source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
      line.split(separator: Self.marker, omittingEmptySubsequences: false).dropFirst().map { text in
        Diagnostic(severity: .error, line: index + 1, message: text.trimmed)
      }
    }
  }

  private static func compare(_ expected: [Diagnostic], with actual: [Diagnostic]) -> [String] {
    func fits(_ expectation: Diagnostic, _ diagnostic: Diagnostic) -> Bool {
      diagnostic.severity == .error && diagnostic.line == expectation.line
        && diagnostic.message.contains(expectation.message)
    }
    let missing = expected.filter { expectation in !actual.contains { fits(expectation, $0) } }
    // One offence can break a line in several ways, and compilers differ in how many they tell.
    let surplus = actual.filter { diagnostic in !expected.contains { $0.line == diagnostic.line } }
    return missing.map { "expected and not there: \($0)" } + surplus.map { "there and not expected: \($0)" }
  }

  private static func difference(_ source: String, _ twin: String) -> [String] {
    let difference = code(of: twin).difference(from: code(of: source))
    if difference.isEmpty { return ["the twin is the same program"] }
    let changed = max(difference.removals.count, difference.insertions.count)
    return changed > 4 ? ["the twin differs in \(changed) lines; the offence alone takes at most 4"] : []
  }

  /// The lines without comments and indentation.
  private static func code(of source: String) -> [String] {
    source.split(separator: "\n").compactMap { line in
      let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
      return code.trimmed.isEmpty ? nil : code.trimmed
    }
  }

  private static let marker = "// expect-error:"
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
