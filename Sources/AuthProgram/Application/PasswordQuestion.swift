import AuthBackend
import AuthCore
import AuthLocal
import CommandLineKit
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
    let bytes = try answer(terminal, "Password for \(username): ")
    let result = await checked(bytes, check)
    // The echo stays off through the delay of a refusal.
    _ = consume terminal
    return try result.get()
  }

  private static func answer(_ terminal: borrowing SilentTerminal, _ question: String) throws(Refusal) -> [UInt8] {
    do throws(PromptFailure) { return try terminal.ask(question) } catch { throw Refusal(error) }
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

  /// Asks for a password that does not exist yet, twice, unless it is refused already.
  ///
  /// `check` is what refuses it.
  static func new(
    for username: String, check: (Password) throws(LocalFailure) -> Void
  ) throws(Refusal) -> Password {
    let terminal = try terminal(nil)
    let first = try answer(terminal, "New password for \(username) (at least 15 characters): ")
    do throws(LocalFailure) { try check(Password(bytes: first)) } catch { throw Refusal(error) }
    guard try answer(terminal, "The same again: ") == first else {
      throw Refusal(
        .usage, "passwords_differ", "the two passwords are not the same",
        hint: "Run the command again; nothing was changed.")
    }
    return Password(bytes: first)
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
