import Testing

/// Tests the harness itself: it must report every pair that proves nothing.
@Suite(.timeLimit(.minutes(10))) struct MustNotCompileHarnessTests {
  private static let wrong = "private let one: Int = true  // expect-error: cannot convert\n"
  private static let right = "private let one: Int = 1\n"

  /// Programs and twins with the expected finding; the first pair is valid.
  private static let pairs: [(source: String, twin: String?, finding: String)] = [
    (wrong, right, ""),
    ("private let one = 1  // expect-error: one\n", "private let two = 2\n", "not there: line 1: error: one"),
    ("private let one: Int = true  // expect-error: nonsense\n", right, "not there: line 1: error: nonsense"),
    (wrong + "private let two: Int = false\n", right + "private let two: Int = 2\n", "not expected: line 2: error"),
    (wrong, nil, "no twin"), ("private let one: Int = true\n", right, "says nowhere"),
    (wrong, "private let one: Int = true\n", "same program"),
    (wrong, "private func f() { let one: Int = 1 }\n", "does not compile in silence: line 1: warning"),
    (wrong, "private let one: Int = \"\"\n", "in silence: line 1: error"),
    (wrong, (1...5).map { "private let n\($0) = \($0)\n" }.joined(), "differs in 5 lines"),
  ]

  private static let findings = Task {
    try await RefusedProgram.findings(
      in: pairs.enumerated().map { RefusedProgram(name: "pair\($0)", source: $1.source, twin: $1.twin) })
  }

  @Test("a valid pair has no findings, and every invalid pair is found", arguments: pairs.indices)
  func pair(_ index: Int) async throws {
    let found = try #require(try await Self.findings.value["pair\(index)"]).joined(separator: "\n")
    let expected = Self.pairs[index].finding
    #expect(expected.isEmpty ? found.isEmpty : found.contains(expected), "\(Self.pairs[index]): \(found)")
  }
}
