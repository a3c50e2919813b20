package import AuthCore
package import CommandLineKit

/// A terminal at which a command asks for something, silent during the lifetime of the value.
///
/// Keep it until the answer was checked: the echo stays off through the delay of a refusal.
package struct Question: ~Copyable {
  private let terminal: SilentTerminal

  /// Opens the terminal.
  ///
  /// - Parameters:
  ///   - noun: What is asked for.
  ///   - flag: The option that reads it from standard input instead.
  /// - Throws: ``CommandError`` when there is none, or it cannot be used.
  package init(for noun: String = "password", insteadUse flag: Option<Bool>) throws(CommandError) {
    try self.init(for: noun, insteadUse: "on standard input with \(flag.declaration.flag)", isEchoed: false)
  }

  /// Opens the terminal, and switches off its echo unless what is typed is no secret.
  package init(for noun: String, insteadUse instead: String, isEchoed: Bool) throws(CommandError) {
    do throws(PromptError) {
      terminal = try SilentTerminal(for: noun, insteadUse: instead, isEchoed: isEchoed)
    } catch {
      throw CommandError(error)
    }
  }

  /// How often a question is asked: a mistyped new password should not end the command, and a
  /// question must end.
  package static let attempts = 3

  package func say(_ sentence: String) throws(CommandError) {
    try explained { () throws(PromptError) in try terminal.say(sentence) }
  }

  /// Shows text as it is, whose untrusted parts the caller has escaped.
  package func show(_ text: String) throws(CommandError) {
    try explained { () throws(PromptError) in try terminal.show(text) }
  }

  /// The columns and rows of the terminal.
  package var size: (columns: Int, rows: Int) { terminal.size }

  /// Waits until one of the descriptors can be read, and returns those; none at the deadline, or
  /// when the process was continued after a stop.
  package func wait(
    for descriptors: [Int32] = [], until deadline: SuspendingClock.Instant
  ) throws(CommandError) -> [Int32] {
    try explained { () throws(PromptError) in try terminal.wait(for: descriptors, until: deadline) }
  }

  /// Asks for a line, and asks again if it is empty and may not be: an Enter alone is no guess, and
  /// is not counted.
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

  /// Asks twice for a password that does not exist yet; `check` says what is wrong with it.
  ///
  /// One that is refused, or not the same the second time, is asked for again.
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
