import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit
import ConcurrencyKit
import Glibc
import TextFormat

extension Prompt {
  /// Whether there is a terminal for prompts.
  ///
  /// True also if only a file descriptor is missing, because the prompt then reports that.
  static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return ErrorNumber(errno).isOfDescriptors }
    close(terminal)
    return true
  }

  static let code = "Authenticator or recovery code: "

  /// The message after a wrong code while tries are left.
  static func wrongCode(triesLeft: Int) -> String {
    "Wrong code; \(triesLeft) more \(triesLeft == 1 ? "try" : "tries")."
  }

  /// Asks for a code alone.
  static func onlyCode(_ question: String, mayBeEmpty: Bool = false) throws(CommandError) -> Secret {
    let terminal = try Prompt(for: "code", insteadUse: Options.codeFromInput)
    return Secret(bytes: try terminal.ask(question, mayBeEmpty: mayBeEmpty))
  }

  /// Opens the terminal for secrets.
  ///
  /// If there is none, the hint is to write them to standard input, with `--password-stdin`; `more`
  /// says what follows there.
  init(for secrets: [String] = ["password"], more: String = "") throws(CommandError) {
    let input = "on standard input with \(Options.passwordFromInput.declaration.flag)"
    try self.init(
      for: secrets.joined(separator: " and the "),
      insteadUse: (secrets.count == 1 ? "it \(input)" : "them \(input), one line each, in this order") + more)
  }
}

/// A prompt for confirmation before something that cannot be undone.
enum Confirmation {
  static let yes = Option.flag("yes", "Do it without asking")
  /// The sentence about the password in the help of a command that needs a recent one.
  static let ofPassword =
    "Asks for your password, unless you entered it recently; without a terminal, run 'reauth' first."

  /// Prompts, unless `--yes` is given; without a terminal `--yes` is required.
  static func ask(_ words: ParsedWords, _ question: String) throws(CommandError) {
    if words[yes] { return }
    guard try answer(to: question + " Type yes to go on: ") == Array("yes".utf8) else {
      throw CommandError(code: .notAgreed)
    }
  }

  /// Prompts, and returns the typed answer.
  static func answer(to question: String) throws(CommandError) -> [UInt8] {
    try Prompt(for: "confirmation", insteadUse: "it with \(yes.declaration.flag)", isEchoed: true)
      .ask(question, mayBeEmpty: true)
  }
}

extension Workspace {
  /// Asks for a password, has it checked, and asks for a code too if one is needed: on the
  /// terminal, or in the lines of standard input.
  ///
  /// - Parameters:
  ///   - username: The user whose password it is.
  ///   - secrets: The names of what the command reads before the code.
  ///   - fromInput: Whether to read them from standard input, one line each, and not to prompt.
  ///   - reason: A sentence that says why, if the command alone does not.
  ///   - wrong: The error for a wrong password.
  ///   - check: Checks the password.
  /// - Returns: The password, or the lines, and the session that it gave or renewed.
  /// - Throws: ``CommandError`` when nothing could be asked, or the password was not accepted.
  func askForPassword(
    of username: String, among secrets: [String] = ["password"], fromInput: Bool = false, because reason: String? = nil,
    wrong: CommandError = CommandError(code: .wrongPassword),
    check: (Secret) async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> (lines: [Secret], session: LoggedInSession) {
    guard fromInput else {
      let prompt = try Prompt(for: secrets, more: "; if you log in in two steps, a code follows on the next line")
      if let reason { try prompt.say(reason) }
      let (password, session) = try await password(of: username, on: prompt, wrong, check)
      _ = consume prompt
      return ([password], session)
    }
    let input = SecretLines()
    let lines = try input.lines(secrets, followedBy: "code").map { Secret(bytes: $0) }
    let result = await Result { () async throws(SessionError) in try await check(lines[0]) }
    let session = try await session(after: result, wrong) { (codes, _) throws(CommandError) in
      if codes > 0 { throw CommandError(code: .wrongCode) }
      guard let line = try input.last("code") else { throw CommandError(code: .codeMissing) }
      return line
    }
    if input.hasMore { output.note("The last line of standard input was not needed: no code was asked for.") }
    return (lines, session)
  }

  /// Asks for a password, and again after a wrong one: a shell would run what is typed next as a
  /// command, and keep it in its history.
  private func password(
    of username: String, on prompt: borrowing Prompt, _ wrong: CommandError,
    _ check: (Secret) async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> (Secret, LoggedInSession) {
    var triesLeft = Prompt.attempts
    while true {
      let password = Secret(bytes: try prompt.ask("Password for \(username): "))
      let result = await Result { () async throws(SessionError) in try await check(password) }
      triesLeft -= 1
      do throws(CommandError) {
        let session = try await session(after: result, wrong) { (codes, challenge) throws(CommandError) in
          if codes > 0 { try prompt.say(Prompt.wrongCode(triesLeft: challenge.triesLeft)) }
          return try prompt.ask(Prompt.code)
        }
        return (password, session)
      } catch {
        guard error == wrong, triesLeft > 0 else { throw error }
        try prompt.say("\(error.sentence) Try again.")
      }
    }
  }

  /// The session that a password gave or renewed, once each challenge is answered.
  ///
  /// `code` returns the code for a challenge; its first argument is the number of wrong codes.
  private func session(
    after result: Result<LoginResult, SessionError>, _ wrong: CommandError,
    code: (Int, Challenge) throws(CommandError) -> [UInt8]
  ) async throws(CommandError) -> LoggedInSession {
    var (result, codes) = (result, 0)
    while case .success(.challenged(let challenge)) = result {
      let answer: Secret
      do throws(CommandError) {
        answer = Secret(bytes: try code(codes, challenge))
      } catch {
        store.cancel(challenge)
        throw error
      }
      result = await Result { () async throws(SessionError) in try await store.answer(answer, to: challenge) }
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
    case .failure(.credentialsNotAccepted): throw wrong.beginning(backend.waitBegun)
    case .failure(let error): throw CommandError(error)
    }
  }

  /// Reads a code alone from standard input.
  func codeFromInput() throws(CommandError) -> Secret {
    Secret(bytes: try SecretLines().lines(["code"])[0])
  }

  /// The lines of standard input, one for each name.
  func secrets(fromInput names: [String]) throws(CommandError) -> [[UInt8]] {
    try SecretLines().whole(names)
  }

  /// The user name of the command line, or what is typed on the terminal.
  ///
  /// `secrets` says what else the command reads, for the message if there is no terminal.
  func username(
    _ given: String?, _ question: String, secrets: [String] = ["password"]
  ) throws(CommandError) -> String {
    if let given { return given }
    let others = secrets.joined(separator: " and the ")
    let instead = "it as the argument USER, and the \(others) with \(Options.passwordFromInput.declaration.flag)"
    let bytes = try Prompt(for: "name", insteadUse: instead, isEchoed: true).ask(question, mayBeEmpty: true)
    guard let name = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(
        .usage, BackendError.Code.usernameInvalid.rawValue, "the name is not UTF-8 text",
        hint: "Type the name again.")
    }
    do throws(BackendError) { _ = try Username(name) } catch {
      // The name is not repeated, because it may be the password.
      let text = CommandError(error)
      throw CommandError(text.status, text.code, "what you typed is not a user name", hint: text.hint)
    }
    return name
  }
}
