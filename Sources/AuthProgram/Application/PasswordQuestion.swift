import AuthBackend
import AuthCore
import CommandLineKit
import Glibc

/// Asks for a password and has it checked, the terminal silent until the answer is there.
enum PasswordQuestion {
  /// Asks on the controlling terminal.
  ///
  /// - Parameters:
  ///   - username: Whose password.
  ///   - reason: Why it is asked for, a sentence, where that is not plain from the command.
  ///   - wrong: What to refuse a wrong one with.
  ///   - insteadOf: What to refuse with when there is no terminal.
  ///   - check: Has the password checked.
  /// - Returns: What the check came to.
  /// - Throws: ``CommandError`` when nothing could be asked, or the password was not accepted.
  static func onTerminal<Value>(
    for username: String, because reason: String? = nil, wrong: CommandError = .wrongPassword,
    insteadOf: CommandError? = nil,
    check: (Password) async throws(SessionError) -> Value
  ) async throws(CommandError) -> Value {
    let terminal = try terminal(insteadOf)
    if let reason { try say(terminal, reason) }
    let bytes = try answer(terminal, "Password for \(username): ")
    let result = await checked(bytes, wrong, check)
    // The echo stays off through the delay of a refusal.
    _ = consume terminal
    return try result.get()
  }

  private static func answer(_ terminal: borrowing SilentTerminal, _ question: String) throws(CommandError) -> [UInt8] {
    do throws(PromptError) { return try terminal.ask(question) } catch { throw CommandError(error) }
  }

  private static func say(_ terminal: borrowing SilentTerminal, _ sentence: String) throws(CommandError) {
    do throws(PromptError) { try terminal.say(sentence) } catch { throw CommandError(error) }
  }

  private static func terminal(_ insteadOf: CommandError?) throws(CommandError) -> SilentTerminal {
    do throws(PromptError) {
      return try SilentTerminal.controlling(insteadUse: Options.passwordFromInput.declaration.flag)
    } catch {
      if case .noTerminal = error, let insteadOf { throw insteadOf }
      throw CommandError(error)
    }
  }

  /// Reads the password from standard input.
  static func fromInput<Value>(
    wrong: CommandError = .wrongPassword, check: (Password) async throws(SessionError) -> Value
  ) async throws(CommandError) -> Value {
    try await checked(try line(), wrong, check).get()
  }

  /// The one line of standard input that is a password.
  static func line() throws(CommandError) -> [UInt8] {
    try lines(["password"])[0]
  }

  /// The lines of standard input, one for each name.
  static func lines(_ names: [String]) throws(CommandError) -> [[UInt8]] {
    do throws(PromptError) {
      return try SecretInput.lines(names)
    } catch {
      throw CommandError(error)
    }
  }

  /// How often a new password is asked for: a mistyped one should not end the command, and a
  /// question must end.
  private static let attempts = 3

  /// Asks for a password that does not exist yet, twice, unless it is refused already.
  ///
  /// One that is refused, or not the same the second time, is asked for again, so often and no
  /// more.
  ///
  /// `check` is what refuses it.
  static func new(
    for username: String, check: (Password) throws(BackendError) -> Void
  ) throws(CommandError) -> Password {
    try new(for: username, on: try terminal(nil), check: check)
  }

  private static func new(
    for username: String, on terminal: borrowing SilentTerminal, check: (Password) throws(BackendError) -> Void
  ) throws(CommandError) -> Password {
    for _ in 1..<attempts {
      switch try newOnce(for: username, on: terminal, check: check) {
      case .success(let password): return password
      case .failure(let refusal): try say(terminal, "\(refusal.message); try again.")
      }
    }
    return try newOnce(for: username, on: terminal, check: check).get()
  }

  /// Asks for a recovery code and twice for a new password, and uses both, the terminal silent
  /// until the answer is there.
  ///
  /// What cannot be a code is asked for again. Otherwise the code is used once everything is typed,
  /// so that its answer comes at one cost.
  static func codeAndNewPassword<Value>(
    for username: String, check: (Password) throws(BackendError) -> Void,
    use: (RecoveryCode, Password) throws(CommandError) -> Value
  ) throws(CommandError) -> Value {
    let terminal = try terminal(nil)
    let question = "Code for \(username): "
    var code = RecoveryCode(typed: try answer(terminal, question))
    for _ in 1..<attempts where !code.isWellFormed {
      try say(terminal, "a code has 25 letters and digits; try again.")
      code = RecoveryCode(typed: try answer(terminal, question))
    }
    let password = try new(for: username, on: terminal, check: check)
    let result: Result<Value, CommandError>
    do throws(CommandError) { result = .success(try use(code, password)) } catch { result = .failure(error) }
    _ = consume terminal
    return try result.get()
  }

  /// - Returns: The password, or why another one may do better.
  private static func newOnce(
    for username: String, on terminal: borrowing SilentTerminal, check: (Password) throws(BackendError) -> Void
  ) throws(CommandError) -> Result<Password, CommandError> {
    let first = try answer(terminal, "New password for \(username) (at least 15 characters): ")
    do throws(BackendError) {
      try check(Password(bytes: first))
    } catch {
      guard case .invalid = error.kind else { throw CommandError(error) }
      return .failure(CommandError(error))
    }
    guard try answer(terminal, "Repeat the new password: ") == first else {
      return .failure(
        CommandError(
          .passwordsDiffer, "the two passwords are not the same",
          hint: "Run the command again; nothing was changed."))
    }
    return .success(Password(bytes: first))
  }

  private static func checked<Value>(
    _ bytes: [UInt8], _ wrong: CommandError, _ check: (Password) async throws(SessionError) -> Value
  ) async -> Result<Value, CommandError> {
    do throws(SessionError) {
      return .success(try await check(Password(bytes: bytes)))
    } catch {
      return .failure(error == .credentialsNotAccepted ? wrong : CommandError(error))
    }
  }
}
