import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `register [USER]`.
struct RegisterCommand: CommandBody {
  let user: String?
  let passwordFromInput: Bool

  static var command: Command<any CommandBody> {
    Command("register", soughtAs: ["create", "sign-up", "signup"]) {
      .init(
        summary: "Create an account",
        discussion: [
          "The first account becomes administrator. A new account starts with 100.00. Registering does not log you in.",
          "The password needs at least 15 characters, of any kind. You enter it twice on the terminal, and it is never "
            + "shown. Common passwords and your own name are refused.",
          "While registration is closed only an administrator creates accounts. This then prints a one-time code for the "
            + "new user, valid for three days, who sets a password with 'recover'.",
        ],
        arguments: [Arguments.newUser], options: [Options.passwordFromInput],
        examples: [
          .init("register alice", "asks for a new password, twice"),
          .init("register bob --password-stdin < bob.password", "reads the password from a file, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        RegisterCommand(
          user: try words[Arguments.newUser, neededBy: Options.passwordFromInput],
          passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.register(user, passwordFromInput: passwordFromInput)
  }
}

extension Arguments {
  fileprivate static let newUser = Argument.optional(
    "USER", Kinds.username, "The name of the new account; if omitted, you are asked")
}

extension Workspace {
  /// `register [USER]`: makes an account.
  ///
  /// It does not log in.
  func register(_ user: String?, passwordFromInput: Bool) async throws(CommandError) -> Answer {
    let name = try username(user, "Name of the new account: ")
    let password: Secret
    if passwordFromInput {
      password = Secret(bytes: try PasswordQuestion.line())
    } else {
      do throws(BackendError) {
        try backend.check(newUsername: name)
      } catch {
        guard error.code == BackendError.Code.registrationClosed.rawValue else { throw CommandError(error) }
        return try await registerOther(name)
      }
      password = try newPassword(for: name)
    }
    let created: User
    do throws(BackendError) {
      created = try backend.register(username: name, password: password, displayName: nil)
    } catch {
      guard error.code == BackendError.Code.registrationClosed.rawValue else { throw CommandError(error) }
      throw await registrationClosed(for: name)
    }
    let shown = TextEscaping.escape(created.username)
    // Here somebody else is logged in, so the new user logs in elsewhere.
    let isFree = if case .loggedIn = await restore() { false } else { true }
    return Answer(
      .changed("\(shown) is registered", hint: "Log in with: \(run: "login", shown)"),
      lines: ["Registered \(shown)\(created.role == .administrator ? ", the administrator" : "")."],
      ["user": .user(created)],
      notes: isFree ? ["Try next:", "  \(run: "login", shown)", "  \(run: "home")"] : [])
  }

  /// Makes an account for somebody else, while registration is closed.
  private func registerOther(_ name: String) async throws(CommandError) -> Answer {
    if case .obstructed(let obstacle) = await restore() { throw CommandError(obstacle) }
    guard await isAdministrator else { throw await registrationClosed(for: name) }
    let code = try await askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.registerOther(username: name, for: administrator, fresh, under: lease)
    }
    let shown = TextEscaping.escape(code.user.username)
    return issued(
      code,
      effect: .changed(
        "\(shown) is registered", hint: "Make a new code with: \(run: "accounts", "reset-password", shown)"),
      notes: ["Registered \(shown). Give the code to the new user."])
  }

  private var isAdministrator: Bool {
    get async {
      if case .loggedIn(let session) = await restore() { session.user.role == .administrator } else { false }
    }
  }

  private func registrationClosed(for name: String) async -> CommandError {
    CommandError(.refused(.registrationClosed))
      .withHint(
        await isAdministrator
          ? "Omit the password to get a one-time code for the new user: \(run: "register", name)"
          : "Ask an administrator to run: \(runByOthers: "register", name)")
  }

  /// Asks on the terminal for a password to set.
  func newPassword(for name: String) throws(CommandError) -> Secret {
    try PasswordQuestion.new(for: name) { (password) throws(BackendError) in
      try backend.check(newPassword: password, for: name)
    }
  }

  /// The user name of the command line, or what is typed on the terminal.
  func username(_ given: String?, _ question: String) throws(CommandError) -> String {
    if let given { return given }
    let bytes: [UInt8]
    do throws(PromptError) {
      bytes = try NameQuestion.ask(
        question,
        insteadUse: "as the argument USER, and the password with \(Options.passwordFromInput.declaration.flag)")
    } catch {
      throw CommandError(error)
    }
    guard let name = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(
        .usage, BackendError.Code.usernameInvalid.rawValue, "what was typed is not UTF-8 text",
        hint: "Type the name again.")
    }
    _ = try valid { () throws(BackendError) in try Username(name) }
    return name
  }
}
