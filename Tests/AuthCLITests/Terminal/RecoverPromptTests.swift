import Foundation
import Glibc
import Programs
import Terminals
import Testing

/// The questions of `recover`, on a real pseudo-terminal.
@Suite("Questions of recover on a terminal", .timeLimit(.minutes(10)))
struct RecoverPromptTests {
  private typealias Step = Dialogue.Step
  private static let new = "quiet meadow copper lantern"

  /// A home, and a one-time code for bob.
  private func scene() async throws -> (home: CommandHome, code: String) {
    let home = try await CommandHome()
    let made = try await home.run("accounts reset-password bob --as-owner --quiet")
    try #require(made.ending == .exited(0), "\(made.text)")
    return (home, String(made.text.dropLast()))
  }

  private func code(_ answer: String) -> Step { Step("Code for bob: ", answer) }
  private func new(_ answer: String) -> Step {
    Step("New password for bob (at least 15 characters): ", answer)
  }
  private func again(_ answer: String) -> Step { Step("Repeat the new password: ", answer) }

  /// Whether a password opens bob's account.
  private func opens(_ password: String, _ home: CommandHome) async throws -> Bool {
    try await home.run("login bob --password-stdin", input: password).ending == .exited(0)
  }

  @Test("it asks for the name if that is missing, then in silence for the code and twice for the new password")
  func whole() async throws {
    let (home, issued) = try await scene()
    // Typed as a person may: upper case, and without hyphens.
    let typed = issued.filter { $0 != "-" }.uppercased()
    let user = Step("User: ", "bob", isShown: true)
    let (end, shown) = try await home.answer("recover", [user, code(typed), new(Self.new), again(Self.new)])
    #expect(end == .exited(0) && shown.contains("The new password of bob is set; all sessions are ended."), "\(shown)")
    #expect(shown.contains("Log in with: auth-cli login bob"))
    #expect(try await opens(Self.new, home))
  }

  @Test("what cannot be a code is asked for again, and three times in all")
  func malformed() async throws {
    let (home, issued) = try await scene()
    let (end, shown) = try await home.answer(
      "recover bob",
      [code("open sesame"), code(issued.dropLast().description), code(issued), new(Self.new), again(Self.new)])
    #expect(end == .exited(0), "\(shown)")
    #expect(shown.components(separatedBy: "a code has 25 letters and digits; try again.").count == 3, "\(shown)")
    let codes = ["wrong one", "wrong two", "wrong three"].map(code)
    let wrong = try await home.answer("recover bob", codes + [new(Self.new), again(Self.new)])
    #expect(wrong.end == .exited(5), "\(wrong.shown)")
    #expect(wrong.shown.contains("the name and the code were not accepted"), "\(wrong.shown)")
  }

  @Test("a mistyped or refused new password is asked for again, and uses up no code")
  func mismatch() async throws {
    let (home, issued) = try await scene()
    let mistyped = [new(Self.new), again(Self.new + "x")]
    let given = try await home.answer("recover bob", [code(issued)] + mistyped + mistyped + mistyped)
    #expect(given.end == .exited(2), "\(given.shown)")
    #expect(
      given.shown.contains("the two passwords are not the same\r\nRun the command again; nothing was changed."),
      "\(given.shown)")
    let third = try await home.answer(
      "recover bob", [code(issued)] + mistyped + [new("hunter22"), new(Self.new), again(Self.new)])
    #expect(third.end == .exited(0), "\(third.shown)")
    #expect(third.shown.contains("the two passwords are not the same; try again."))
    #expect(third.shown.contains("at least 15 are needed; try again."))
    #expect(try await opens(Self.new, home))
  }

  @Test("^D and ^C at each question end it, restore the terminal and use up no code")
  func given() async throws {
    let (home, issued) = try await scene()
    let steps = [code(issued), new(Self.new), again(Self.new)]
    for answered in 0..<steps.count {
      for (key, expected) in [("\u{4}", TerminalProcess.End.exited(2)), ("\u{3}", .signalled(SIGINT))] {
        let left = Step(steps[answered].question, key, isLine: false)
        let (end, shown) = try await home.answer("recover bob", steps.prefix(answered) + [left])
        #expect(end == expected, "\(left): \(shown)")
        if expected == .exited(2) { #expect(shown.contains("nothing was changed"), "\(shown)") }
      }
    }
    let user = Step("User: ", "\u{3}", isShown: true, isLine: false)
    #expect(try await home.answer("recover", [user]).end == .signalled(SIGINT))
    #expect(try await !opens(Self.new, home))
    let whole = try await home.answer("recover bob", steps)
    #expect(whole.end == .exited(0), "\(whole.shown)")
  }

  @Test("a wrong code is refused once everything is typed, and after five with the wait")
  func wrong() async throws {
    let (home, issued) = try await scene()
    let other = String(repeating: "2", count: 25)
    try home.changeDatabase("UPDATE accounts SET guesses = 4, attempts = 4 WHERE name = 'bob'")
    for (expected, words) in [(5, "the name and the code were not accepted"), (6, "after too many wrong ones")] {
      let (end, shown) = try await home.answer("recover bob", [code(other), new(Self.new), again(Self.new)])
      #expect(end == .exited(Int32(expected)) && shown.contains(words), "\(shown)")
    }
    let right = try await home.answer("recover bob", [code(issued), new(Self.new), again(Self.new)])
    #expect(right.end == .exited(0), "\(right.shown)")
  }
}
