import Races
import Testing

/// A command on a real pseudo-terminal, and the answers to its questions.
enum Dialogue {
  /// A question, and what is typed as its answer.
  struct Step: Sendable {
    let question: String
    let answer: String
    /// Whether the answer may show, which is for names.
    var isShown = false
    /// Whether Enter follows the answer; a control character needs none.
    var isLine = true
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
      var echoes: [Bool] = []
      for step in steps {
        try terminal.expect(step.question)
        echoes.append(terminal.echoes)
        try terminal.send(step.answer + (step.isLine ? "\n" : ""))
      }
      _ = try terminal.expectEnd()
      let end = try program.wait()
      return (end: end, shown: terminal.transcript, echoes: echoes, isRestored: terminal.settings == before)
    }
    #expect(run.isRestored, "\(line): the settings of the terminal are not restored")
    for (step, echoes) in zip(steps, run.echoes) {
      #expect(echoes == step.isShown, "\(line): \(step.question)")
      if !step.isShown, step.isLine { #expect(!run.shown.contains(step.answer), "\(line): \(run.shown)") }
    }
    return (run.end, run.shown)
  }
}
