package import AuthCore
package import CommandLineKit

/// Prompts on the terminal of a command.
///
/// Keep one value for the prompt and the check of the answer: the echo stays off during its
/// lifetime, so also during the delay of a refusal.
package struct Question: ~Copyable {
  private let terminal: SilentTerminal

  /// Opens the terminal for a secret: what is typed does not show.
  ///
  /// - Parameters:
  ///   - noun: The requested item, for the message when there is no terminal.
  ///   - flag: The option that reads the item from standard input instead.
  /// - Throws: ``CommandError`` when there is no terminal, or it cannot be used.
  package init(for noun: String = "password", insteadUse flag: Option<Bool>) throws(CommandError) {
    try self.init(for: noun, insteadUse: "on standard input with \(flag.declaration.flag)", isEchoed: false)
  }

  /// Opens the terminal for a secret or for visible text.
  ///
  /// - Parameters:
  ///   - noun: The requested item, for the message when there is no terminal.
  ///   - instead: How to provide the item without a terminal.
  ///   - isEchoed: Whether typed text shows.
  /// - Throws: ``CommandError`` when there is no terminal, or it cannot be used.
  package init(for noun: String, insteadUse instead: String, isEchoed: Bool) throws(CommandError) {
    do throws(PromptError) {
      terminal = try SilentTerminal(for: noun, insteadUse: instead, isEchoed: isEchoed)
    } catch {
      throw CommandError(error)
    }
  }

  /// The number of tries for one answer.
  ///
  /// More than one, because a mistyped password should not end the command; limited, so that the
  /// command ends.
  package static let attempts = 3

  /// Shows a message on a line of its own; this escapes untrusted text.
  package func say(_ sentence: String) throws(CommandError) {
    try explained { () throws(PromptError) in try terminal.say(sentence) }
  }

  /// Shows text as it is.
  ///
  /// The caller must have escaped untrusted text.
  package func show(_ text: String) throws(CommandError) {
    try explained { () throws(PromptError) in try terminal.show(text) }
  }

  /// The columns and rows of the terminal.
  package var size: (columns: Int, rows: Int) { terminal.size }

  /// Waits until one of the descriptors can be read; what is typed meanwhile has no effect.
  ///
  /// - Returns: The descriptors that can be read; none at the deadline, or when the process was
  ///   continued after a stop.
  /// - Throws: ``CommandError`` at the end of the input, such as after `^D`.
  package func wait(
    for descriptors: [Int32] = [], until deadline: SuspendingClock.Instant
  ) throws(CommandError) -> [Int32] {
    try explained { () throws(PromptError) in try terminal.wait(for: descriptors, until: deadline) }
  }

  /// Asks for a line.
  ///
  /// It asks again after an empty line, unless that is an answer: Enter alone does not count as a
  /// wrong guess.
  package func ask(
    _ question: String, mayBeEmpty: Bool = false, within limit: Duration = .standardPromptLimit
  ) throws(CommandError) -> [UInt8] {
    for attempt in 1...Self.attempts {
      if attempt > 1 { try say("Nothing was entered; try again.") }
      let typed = try explained { () throws(PromptError) in try terminal.ask(question, timeLimit: limit) }
      if mayBeEmpty || !typed.isEmpty { return typed }
    }
    throw CommandError(code: .nothingEntered)
  }

  /// Asks twice for a new password; `check` throws the reason if it is not acceptable.
  ///
  /// It asks again if the password is not acceptable, or differs the second time.
  package func newPassword<Failure: CommandFailure>(
    for username: String, _ check: (Secret, String) throws(Failure) -> Void
  ) throws(CommandError) -> Secret {
    var attempt = 1
    while true {
      let typed = try ask("New password for \(username) (at least 15 characters): ")
      let password = Secret(bytes: typed)
      var refusal: CommandError?
      do throws(Failure) {
        try check(password, username)
      } catch {
        refusal = error.asCommandError
        guard refusal?.status == .usage else { throw error.asCommandError }
      }
      if refusal == nil, try ask("Repeat the new password: ") != typed {
        refusal = CommandError(code: .passwordsDiffer)
      }
      guard let refusal else { return password }
      if attempt == Self.attempts { throw refusal }
      try say("\(refusal.sentence) Try again.")
      attempt += 1
    }
  }
}
