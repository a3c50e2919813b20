import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

// What several commands ask a person for.

extension Workspace {
  /// The user name of the command line, or what is typed on the terminal.
  func username(_ given: String?, _ question: String) throws(CommandError) -> String {
    if let given { return given }
    let flag = Options.passwordFromInput.declaration.flag
    let bytes = try explained { () throws(PromptError) in
      try SilentTerminal.askVisibly(question, insteadUse: "as the argument USER, and the password with \(flag)")
    }
    guard let name = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(
        .usage, BackendError.Code.usernameInvalid.rawValue, "the name is not UTF-8 text",
        hint: "Type the name again.")
    }
    try explained { () throws(BackendError) in try Username(name) }
    return name
  }

  /// Asks for a password, and for a code if one is needed: on the terminal, or in the lines of
  /// standard input.
  ///
  /// - Parameters:
  ///   - username: Whose password.
  ///   - fromInput: Whether standard input has it.
  ///   - wrong: What to refuse a wrong one with.
  ///   - check: Has the password checked.
  /// - Returns: The session that the password gave or renewed.
  /// - Throws: ``CommandError`` when nothing could be asked, or the password was not accepted.
  func session(
    withPasswordOf username: String, fromInput: Bool, wrong: CommandError = CommandError(code: .wrongPassword),
    check: (Secret) async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> LoggedInSession {
    guard fromInput else {
      return try await PasswordQuestion.onTerminal(for: username, wrong: wrong, in: store, check: check).session
    }
    return try await PasswordQuestion.fromInput(wrong: wrong, in: store, printer) { (lines) throws(SessionError) in
      try await check(lines[0])
    }.session
  }
}
