import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

/// `register [USER]`.
struct RegisterCommand: WorkspaceCommand {
  let user: String?
  let passwordFromInput: Bool

  static var command: Command<any CommandBody> {
    Command("register") {
      .init(
        summary: "Create an account",
        discussion: [
          "The first account becomes administrator. A new account starts with 100.00. Registering does not log you in.",
          "The password needs at least 15 characters, of any kind. You enter it twice on the terminal, and it is never "
            + "shown. Common passwords and your own name are refused.",
        ],
        arguments: [Arguments.newUser], options: [Options.passwordFromInput],
        examples: [
          .init("register alice", "asks for a new password, twice"),
          .init("register bob --password-stdin < bob.password", "reads the password from a file, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
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
    let password: Password
    if passwordFromInput {
      password = Password(bytes: try PasswordQuestion.line())
    } else {
      try valid { () throws(BackendError) in try backend.check(newUsername: name) }
      password = try newPassword(for: name)
    }
    let created: User
    do throws(BackendError) {
      created = try backend.register(username: name, password: password, displayName: nil)
    } catch {
      throw CommandError(error)
    }
    let shown = TextEscaping.escape(created.username)
    return Answer(
      .changed("\(shown) is registered", hint: "Log in with: auth-cli login \(shown)"),
      lines: ["Registered \(shown)\(created.role == .administrator ? ", the administrator" : "")."],
      ["user": .user(created)],
      notes: [
        "Try next:", "  auth-cli login \(shown)", "  auth-cli home",
      ])
  }

  /// Asks on the terminal for a password to set.
  func newPassword(for name: String) throws(CommandError) -> Password {
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
        .usernameInvalid, "what was typed is not UTF-8 text", hint: "Type the name again.")
    }
    _ = try valid { () throws(BackendError) in try Username(name) }
    return name
  }
}
