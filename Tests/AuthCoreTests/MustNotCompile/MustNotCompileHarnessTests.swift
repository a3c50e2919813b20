import Guards
import Testing

/// Tests the harness itself: it must report every pair that proves nothing.
@Suite struct MustNotCompileHarnessTests {
  private static let wrong = "private let one: Int = true  // expect-error: cannot convert\n"

  /// Pairs with the expected finding; nil if there must be none.
  private static let pairs: [(name: String, source: String, twin: String?, finding: String?)] = [
    (
      "misuse that only SIL shows is found",
      """
      private struct Once: ~Copyable {}
      private func use(_ once: consuming Once) {}
      private func twice(_ once: consuming Once) {  // expect-error: 'once' consumed more than once
        use(once)
        use(once)
      }
      """,
      """
      private struct Once: ~Copyable {}
      private func use(_ once: consuming Once) {}
      private func twice(_ once: consuming Once) {
        use(once)
      }
      """, nil
    ),
    (
      "a `package` declaration of AuthCore cannot be reached from another package",
      "import AuthCore\nprivate let lock = Locked(1)  // expect-error: cannot find 'Locked' in scope\n",
      "import AuthCore\nprivate let id = BootID(high: 1, low: 2)\n", nil
    ),
    (
      "a program that compiles", "private let one = 1  // expect-error: one\n", "private let two = 2\n",
      "expected and not there: line 1: error: one"
    ),
    (
      "an error must have its text",
      "private let one: Int = true  // expect-error: nonsense\n", "private let one: Int = 1\n",
      "expected and not there: line 1: error: nonsense"
    ),
    (
      "no error may be on another line", wrong + "private let two: Int = false\n",
      "private let one: Int = 1\nprivate let two: Int = 2\n",
      "there and not expected: line 2: error: cannot convert value of type 'Bool'"
    ),
    ("a program without a twin", wrong, nil, "no twin"),
    ("a program without an expectation", "private let one: Int = true\n", "private let one = 1\n", "says nowhere"),
    ("a twin without a difference", wrong, "private let one: Int = true\n", "same program"),
    (
      "a twin that warns", wrong, "private func f() { let one: Int = 1 }\n",
      "does not compile in silence: line 1: warning"
    ),
    ("a twin that fails", wrong, "private let one: Int = \"\"\n", "in silence: line 1: error"),
    (
      "a twin that differs in more", wrong, (1...5).map { "private let n\($0) = \($0)\n" }.joined(),
      "differs in 5 lines"
    ),
  ]

  private static let findings = Task {
    try await RefusedProgram.findings(
      in: pairs.enumerated().map { RefusedProgram(name: "pair\($0)", source: $1.source, twin: $1.twin) })
  }

  @Test("a valid pair has no findings, and every invalid pair is found", arguments: pairs.indices)
  func pair(_ index: Int) async throws {
    let found = try #require(try await Self.findings.value["pair\(index)"]).joined(separator: "\n")
    let (name, _, _, finding) = Self.pairs[index]
    if let finding {
      #expect(found.contains(finding), "\(name): \(found)")
    } else {
      #expect(found == "", "\(name)")
    }
  }
}
