import Races
import Terminals
import Testing

/// A command on a real pseudo-terminal, and the answers to its questions.
enum Dialogue {
  /// A question, and what is typed as its answer.
  struct Step: Sendable {
    let question: String
    /// Makes the answer when the question is asked: a code is right for a minute only.
    let answer: @Sendable () -> String
    /// Whether the answer may show, which is for names.
    let isShown: Bool
    /// Whether Enter follows the answer; a control character needs none.
    let isLine: Bool

    init(
      question: String, answer: @autoclosure @escaping @Sendable () -> String, isShown: Bool = false,
      isLine: Bool = true
    ) {
      (self.question, self.answer, self.isShown, self.isLine) = (question, answer, isShown, isLine)
    }
  }

  /// Runs a command on a terminal, answers its questions, and returns how it ended and all that was
  /// shown.
  ///
  /// It checks that secret answers do not show, and that the settings of the terminal are restored.
  static func answer(
    _ line: String, in home: CommandHome, _ steps: [Step]
  ) async throws -> (end: TerminalProcess.End, shown: String) {
    let words = home.words(line)
    let environment = home.environment
    let run = try await onOwnThread {
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      let program = try terminal.launch(words, environment: environment)
      var typed: [(answer: String, echoes: Bool)] = []
      for step in steps {
        try terminal.expect(step.question)
        let answer = step.answer()
        typed.append((answer, terminal.echoes))
        try terminal.send(answer + (step.isLine ? "\n" : ""))
      }
      _ = try terminal.expectEnd()
      let end = try program.wait()
      return (end: end, shown: terminal.transcript, typed: typed, isRestored: terminal.settings == before)
    }
    #expect(run.isRestored, "\(line): the settings of the terminal are not restored")
    for (step, typed) in zip(steps, run.typed) {
      #expect(typed.echoes == step.isShown, "\(line): \(step.question)")
      if !step.isShown, step.isLine, !typed.answer.isEmpty {
        #expect(!run.shown.contains(typed.answer), "\(line): \(run.shown)")
      }
    }
    return (run.end, run.shown)
  }
}
