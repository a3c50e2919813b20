import AuthCore
import Glibc

/// Asks for a password and has it checked, the terminal silent until the answer is there.
enum PasswordQuestion {
  /// Asks on the controlling terminal.
  ///
  /// - Parameters:
  ///   - username: Whose password.
  ///   - insteadOf: What to refuse with when there is no terminal.
  ///   - check: Has the password checked.
  /// - Returns: What the check came to.
  /// - Throws: ``Refusal`` when nothing could be asked, or the password was not accepted.
  static func onTerminal<Value>(
    for username: String, insteadOf: Refusal? = nil,
    check: (Password) async throws(SessionFailure) -> Value
  ) async throws(Refusal) -> Value {
    let terminal = try terminal(insteadOf)
    let bytes: [UInt8]
    do throws(PromptFailure) {
      bytes = try terminal.ask("Password for \(username): ")
    } catch {
      throw Refusal(error)
    }
    let result = await checked(bytes, check)
    // The echo stays off through the delay of a refusal.
    _ = consume terminal
    return try result.get()
  }

  private static func terminal(_ insteadOf: Refusal?) throws(Refusal) -> SilentTerminal {
    do throws(PromptFailure) {
      return try SilentTerminal.controlling(insteadUse: Options.passwordFromInput.declaration.flag)
    } catch {
      if case .noTerminal = error, let insteadOf { throw insteadOf }
      throw Refusal(error)
    }
  }

  /// Reads the password from standard input.
  static func fromInput<Value>(
    check: (Password) async throws(SessionFailure) -> Value
  ) async throws(Refusal) -> Value {
    try await checked(try line(), check).get()
  }

  /// The one line of standard input that is a password.
  static func line() throws(Refusal) -> [UInt8] {
    try lines(["password"])[0]
  }

  /// The lines of standard input, one for each name.
  static func lines(_ names: [String]) throws(Refusal) -> [[UInt8]] {
    do throws(PromptFailure) {
      return try SecretInput.lines(names)
    } catch {
      throw Refusal(error)
    }
  }

  /// Asks for a password that does not exist yet, twice.
  static func new(for username: String) throws(Refusal) -> Password {
    let answers: ([UInt8], [UInt8])
    do throws(PromptFailure) {
      let terminal = try SilentTerminal.controlling(insteadUse: Options.passwordFromInput.declaration.flag)
      let first = try terminal.ask("New password for \(username) (at least 15 characters): ")
      answers = (first, try terminal.ask("The same again: "))
    } catch {
      throw Refusal(error)
    }
    guard answers.0 == answers.1 else {
      throw Refusal(
        .usage, "passwords_differ", "the two passwords are not the same",
        hint: "Run the command again; nothing was changed.")
    }
    return Password(bytes: answers.0)
  }

  private static func checked<Value>(
    _ bytes: [UInt8], _ check: (Password) async throws(SessionFailure) -> Value
  ) async -> Result<Value, Refusal> {
    do throws(SessionFailure) {
      return .success(try await check(Password(bytes: bytes)))
    } catch {
      return .failure(Refusal(error))
    }
  }
}
