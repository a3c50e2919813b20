import Guards
import Testing

/// The harness itself: it must complain about every pair that proves nothing.
@Suite struct MustNotCompileHarnessTests {
  private func findings(_ source: String, twin: String?) async throws -> String {
    try await RefusedProgram(source: source, twin: twin).findings().joined(separator: "\n")
  }

  private static let consumedTwice = """
    struct Once: ~Copyable {}
    func use(_ once: consuming Once) {}
    func twice(_ once: consuming Once) {  // expect-error: 'once' consumed more than once
      use(once)
      use(once)
    }
    """
  private static let consumedOnce = """
    struct Once: ~Copyable {}
    func use(_ once: consuming Once) {}
    func twice(_ once: consuming Once) {
      use(once)
    }
    """
    .replacing("  use(once)\n}", with: "}")

  @Test("a refused program with an accepted twin has no findings, and misuse that only SIL shows is found")
  func accepts() async throws {
    let text = try await findings(Self.consumedTwice, twin: Self.consumedOnce)
    #expect(text == "")
  }

  @Test("a key of AuthCore cannot be reached as another package's `package` declaration")
  func outsideThePackage() async throws {
    let source = "import AuthCore\nlet lock = Locked(1)  // expect-error: cannot find 'Locked' in scope\n"
    let text = try await findings(source, twin: "import AuthCore\nlet id = BootID(high: 1, low: 2)\n")
    #expect(text == "")
  }

  @Test("a program that compiles is a finding")
  func compiles() async throws {
    let text = try await findings("let one = 1  // expect-error: one\n", twin: "let two = 2\n")
    #expect(text == "expected and not there: line 1: error: one")
  }

  @Test("the error must be on its line and have its text, and none may be on another line")
  func otherErrors() async throws {
    let source = "let one: Int = true  // expect-error: nonsense\nlet two: Int = false\n"
    let text = try await findings(source, twin: "let one: Int = 1\nlet two: Int = 2\n")
    #expect(text.contains("expected and not there: line 1: error: nonsense"))
    #expect(text.contains("there and not expected: line 2: error: cannot convert value of type 'Bool'"))
  }

  @Test("a program without a twin, an expectation or a difference is a finding")
  func incomplete() async throws {
    let refused = "let one: Int = true  // expect-error: cannot convert\n"
    #expect(try await findings(refused, twin: nil).contains("no twin"))
    #expect(try await findings("let one: Int = true\n", twin: "let one = 1\n").contains("says nowhere"))
    #expect(try await findings(refused, twin: "let one: Int = true\n").contains("same program"))
  }

  @Test("a twin that warns, fails or differs in more than the offence is a finding")
  func uselessTwins() async throws {
    let refused = "let one: Int = true  // expect-error: cannot convert\n"
    let warns = "func f() { let one: Int = 1 }\n"
    #expect(try await findings(refused, twin: warns).contains("does not compile in silence: line 1: warning"))
    #expect(try await findings(refused, twin: "let one: Int = \"\"\n").contains("in silence: line 1: error"))
    let long = (1...5).map { "let n\($0) = \($0)\n" }.joined()
    #expect(try await findings(refused, twin: long).contains("differs in 5 lines"))
  }
}
