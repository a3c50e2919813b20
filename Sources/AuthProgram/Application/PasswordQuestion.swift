import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// Asks for a password and has it checked, the terminal silent until the answer is there.
enum PasswordQuestion {
  // MARK: - On a terminal

  /// Asks on the controlling terminal, and for a code too if one is needed.
  ///
  /// - Parameters:
  ///   - username: Whose password.
  ///   - reason: Why it is asked for, a sentence, where that is not plain from the command.
  ///   - wrong: What to refuse a wrong one with.
  ///   - insteadOf: What to refuse with when there is no terminal.
  ///   - store: The store that takes the code.
  ///   - check: Has the password checked.
  /// - Returns: The password, and the session that it gave or renewed.
  /// - Throws: ``CommandError`` when nothing could be asked, or the password was not accepted.
  static func onTerminal(
    for username: String, because reason: String? = nil, wrong: CommandError = CommandError(code: .wrongPassword),
    insteadOf: CommandError? = nil, in store: SessionStore,
    check: (Secret) async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> (password: Secret, session: LoggedInSession) {
    let terminal = try terminal(insteadOf)
    if let reason { try say(terminal, reason) }
    let password = Secret(bytes: try answer(terminal, "Password for \(username): "))
    let result = await outcome { () throws(SessionError) in try await check(password) }
    let session = try await session(after: result, wrong, in: store) { (codes, challenge) throws(CommandError) in
      if codes > 0 { try say(terminal, wrongCode(triesLeft: challenge.triesLeft)) }
      return Secret(bytes: try answer(terminal, codeQuestion))
    }
    // The echo stays off through the delay of a refusal.
    _ = consume terminal
    return (password, session)
  }

  /// Asks for a code alone, on the controlling terminal.
  static func codeOnTerminal(_ question: String, mayBeEmpty: Bool = false) throws(CommandError) -> Secret {
    let terminal = try terminal(nil, for: "code", insteadUse: Options.codeFromInput.declaration.flag)
    return Secret(bytes: try mayBeEmpty ? line(terminal, question) : answer(terminal, question))
  }

  /// What a code is asked for with.
  static let codeQuestion = "Authenticator or recovery code: "

  /// What is said of a wrong code while there are more tries.
  static func wrongCode(triesLeft: Int) -> String {
    "wrong code; \(triesLeft) more \(triesLeft == 1 ? "try" : "tries")."
  }

  /// Whether there is a terminal to ask on.
  static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }

  // MARK: - From standard input

  /// Reads the password from standard input, and the code from its next line if one is needed.
  ///
  /// - Parameters:
  ///   - names: What the lines before the code are.
  ///   - wrong: What to refuse a wrong password with.
  ///   - store: The store that takes the code.
  ///   - printer: Says that a code was not needed.
  ///   - check: Has the lines checked.
  /// - Returns: The lines, and the session that they gave or renewed.
  /// - Throws: ``CommandError`` when the input is not these lines, or was not accepted.
  static func fromInput(
    _ names: [String] = ["password"], wrong: CommandError = CommandError(code: .wrongPassword), in store: SessionStore,
    _ printer: Printer,
    check: ([Secret]) async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> (lines: [Secret], session: LoggedInSession) {
    let input = SecretLines()
    let lines = try explained { () throws(PromptError) in
      try input.lines(names, followedBy: "code").map { Secret(bytes: $0) }
    }
    let result = await outcome { () throws(SessionError) in try await check(lines) }
    let session = try await session(after: result, wrong, in: store) { (codes, _) throws(CommandError) in
      if codes > 0 { throw CommandError(code: .wrongCode) }
      guard let line = try explained({ () throws(PromptError) in try input.last("code") }) else {
        throw CommandError(code: .codeMissing)
      }
      return Secret(bytes: line)
    }
    if input.hasMore { printer.note("The last line of standard input was not needed: no code was asked for.") }
    return (lines, session)
  }

  /// Reads a code alone from standard input.
  static func codeFromInput() throws(CommandError) -> Secret {
    Secret(bytes: try explained { () throws(PromptError) in try SecretLines().lines(["code"])[0] })
  }

  /// The lines of standard input, one for each name.
  static func lines(_ names: [String]) throws(CommandError) -> [[UInt8]] {
    try explained { () throws(PromptError) in try SecretLines().whole(names) }
  }

  // MARK: - A password that does not exist yet

  /// Asks twice for a password that does not exist yet; `backend` says what is wrong with it.
  static func new(for username: String, at backend: any Backend) throws(CommandError) -> Secret {
    try new(for: username, on: try terminal(nil), at: backend)
  }

  /// Asks for a recovery code and twice for a new password, and uses both, the terminal silent
  /// until the answer is there.
  ///
  /// What cannot be a code is asked for again. Otherwise the code is used once everything is typed,
  /// so that its answer comes at one cost.
  static func codeAndNewPassword<Value>(
    for username: String, at backend: any Backend, use: (RecoveryCode, Secret) throws(CommandError) -> Value
  ) throws(CommandError) -> Value {
    let terminal = try terminal(nil)
    let question = "Code for \(username): "
    var code = RecoveryCode(typed: try answer(terminal, question))
    for _ in 1..<attempts where !code.isWellFormed {
      try say(terminal, "a code has 25 letters and digits; try again.")
      code = RecoveryCode(typed: try answer(terminal, question))
    }
    let password = try new(for: username, on: terminal, at: backend)
    let result = Result { () throws(CommandError) in try use(code, password) }
    _ = consume terminal
    return try result.get()
  }

  /// How often a question is asked: a mistyped new password should not end the command, and a
  /// question must end.
  private static let attempts = 3

  /// A password that is refused, or not the same the second time, is asked for again.
  private static func new(
    for username: String, on terminal: borrowing SilentTerminal, at backend: any Backend
  ) throws(CommandError) -> Secret {
    var attempt = 1
    while true {
      let typed = try answer(terminal, "New password for \(username) (at least 15 characters): ")
      let password = Secret(bytes: typed)
      var refusal: CommandError?
      do throws(BackendError) {
        try backend.check(newPassword: password, for: username)
      } catch {
        guard case .invalid = error.kind else { throw CommandError(error) }
        refusal = CommandError(error)
      }
      if refusal == nil, try answer(terminal, "Repeat the new password: ") != typed {
        refusal = CommandError(code: .passwordsDiffer)
      }
      guard let refusal else { return password }
      if attempt == attempts { throw refusal }
      try say(terminal, "\(refusal.message); try again.")
      attempt += 1
    }
  }

  // MARK: - The steps of a question

  private static func terminal(
    _ insteadOf: CommandError?, for noun: String = "password",
    insteadUse flag: String = Options.passwordFromInput.declaration.flag
  ) throws(CommandError) -> SilentTerminal {
    do throws(PromptError) {
      return try SilentTerminal.controlling(for: noun, insteadUse: flag)
    } catch {
      if case .noTerminal = error, let insteadOf { throw insteadOf }
      throw CommandError(error)
    }
  }

  /// Asks for a line, and asks again if it is empty: an Enter alone is no guess, and is not
  /// counted.
  private static func answer(_ terminal: borrowing SilentTerminal, _ question: String) throws(CommandError) -> [UInt8] {
    for attempt in 1...attempts {
      if attempt > 1 { try say(terminal, "nothing was entered; try again.") }
      let typed = try line(terminal, question)
      if !typed.isEmpty { return typed }
    }
    throw CommandError(code: .nothingEntered)
  }

  private static func line(_ terminal: borrowing SilentTerminal, _ question: String) throws(CommandError) -> [UInt8] {
    do throws(PromptError) { return try terminal.ask(question) } catch { throw CommandError(error) }
  }

  private static func say(_ terminal: borrowing SilentTerminal, _ sentence: String) throws(CommandError) {
    do throws(PromptError) { try terminal.say(sentence) } catch { throw CommandError(error) }
  }

  /// The session that a password gave or renewed, once each challenge is answered.
  ///
  /// `code` returns the code for a challenge; it is told how many were wrong before.
  private static func session(
    after result: Result<LoginResult, SessionError>, _ wrong: CommandError, in store: SessionStore,
    code: (Int, Challenge) throws(CommandError) -> Secret
  ) async throws(CommandError) -> LoggedInSession {
    var (result, codes) = (result, 0)
    while case .success(.challenged(let challenge)) = result {
      let answer: Secret
      do throws(CommandError) {
        answer = try code(codes, challenge)
      } catch {
        store.cancel(challenge)
        throw error
      }
      result = await outcome { () throws(SessionError) in try await store.answer(answer, to: challenge) }
      codes += 1
    }
    switch result {
    case .success(let answer):
      guard let session = answer.session else { throw CommandError(code: .wrongCode) }
      return session
    case .failure(.throttled(.wait(let time))) where codes > 0:
      throw CommandError(.wait(time), .throttledCode)
    case .failure(.notSaved(let failure)) where codes > 0:
      // A right code is used up, also when its session cannot be kept.
      throw CommandError(
        code: .sessionFileUnusable, saying: failure.description,
        hint: "The code is used up. Remove the cause, then try again with the next one.")
    case .failure(.credentialsNotAccepted): throw wrong
    case .failure(let error): throw CommandError(error)
    }
  }
}
