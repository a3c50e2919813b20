import Races
import Synchronization
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
      _ question: String, _ answer: @autoclosure @escaping @Sendable () -> String, isShown: Bool = false,
      isLine: Bool = true
    ) {
      (self.question, self.answer, self.isShown, self.isLine) = (question, answer, isShown, isLine)
    }
  }
}

extension CommandHome {
  /// Runs a command on a terminal, answers its questions, and returns how it ended and all that was
  /// shown.
  ///
  /// It checks that secret answers do not show.
  func answer(_ line: String, _ steps: [Dialogue.Step]) async throws -> (end: TerminalProcess.End, shown: String) {
    let answers = Mutex<[(answer: String, echoes: Bool)]>([])
    let run = try await play(line) { terminal in
      for step in steps {
        try terminal.expect(step.question)
        let answer = step.answer()
        answers.withLock { $0.append((answer, terminal.echoes)) }
        try terminal.send(answer + (step.isLine ? "\n" : ""))
      }
    }
    for (step, typed) in zip(steps, answers.withLock { $0 }) {
      #expect(typed.echoes == step.isShown, "\(line): \(step.question)")
      if !step.isShown, step.isLine, !typed.answer.isEmpty {
        #expect(!run.shown.contains(typed.answer), "\(line): \(run.shown)")
      }
    }
    return run
  }

  /// Runs a command on a terminal while `story` reads and types there, and returns how it ended and
  /// all that was shown.
  ///
  /// It checks that the settings of the terminal are restored.
  @discardableResult
  func play(
    _ line: String, columns: Int = 80, adding variables: [String: String] = [:],
    _ story: @escaping @Sendable (PseudoTerminal) throws -> Void = { _ in }
  ) async throws -> (end: TerminalProcess.End, shown: String) {
    let terminal = try PseudoTerminal(columns: UInt16(columns))
    let before = terminal.settings
    let (words, environment) = (words(line), environment.merging(variables) { $1 })
    let end = try await onOwnThread {
      let program = try terminal.launch(words, environment: environment)
      try story(terminal)
      _ = try terminal.expectEnd()
      return try program.wait()
    }
    #expect(terminal.settings == before, "\(line): the settings of the terminal are not restored")
    return (end, terminal.transcript)
  }
}
