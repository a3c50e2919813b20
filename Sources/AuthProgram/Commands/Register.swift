import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `register [USER]`.
struct RegisterCommand: CommandBody {
  let user: String?
  let passwordFromInput: Bool

  static let command = Command<any CommandBody>(
    "register", soughtAs: ["create", "sign-up", "signup"], summary: "Create an account",
    discussion: [
      "The first account becomes administrator. A new account starts with 100.00. Registering does not log you in.",
      "The password needs at least 15 characters, of any kind. You enter it twice on the terminal, and it is never "
        + "shown. Common passwords and your own name are refused.",
      "While registration is closed only an administrator creates accounts. This then prints a one-time code for the "
        + "new user, valid for three days, who sets a password with 'recover'.",
    ],
    arguments: [newUser], options: [Options.passwordFromInput],
    examples: [
      "register alice": "asks for a new password, twice",
      "register bob --password-stdin < bob.password": "reads the password from a file, for scripts",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in
    RegisterCommand(
      user: words[newUser],
      passwordFromInput: words[Options.passwordFromInput])
  }

  private static let newUser = Argument.optional(
    "USER", Kinds.username, "The name of the new account; if omitted, you are asked",
    neededBy: Options.passwordFromInput)

  /// Makes an account; it does not log in.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let backend = workspace.backend
    let name = try workspace.username(user, "Name of the new account: ")
    let password: Secret
    if passwordFromInput {
      password = Secret(bytes: try PasswordQuestion.lines(["password"])[0])
    } else {
      do throws(BackendError) {
        try backend.check(newUsername: name)
      } catch {
        guard error.code == BackendError.Code.registrationClosed.rawValue else { throw CommandError(error) }
        return try await registerOther(name, in: workspace)
      }
      password = try PasswordQuestion.new(for: name, at: backend)
    }
    let created: User
    do throws(BackendError) {
      created = try backend.register(username: name, password: password, displayName: nil)
    } catch {
      guard error.code == BackendError.Code.registrationClosed.rawValue else { throw CommandError(error) }
      throw Self.closed(for: name, isAdministrator: await Self.user(in: workspace)?.role == .administrator)
    }
    let shown = TextEscaping.escape(created.username)
    // Where somebody else is logged in here, the new user logs in elsewhere.
    let isFree = await Self.user(in: workspace) == nil
    return Answer(
      .changed("\(shown) is registered", hint: "Log in with: \(run: "login", shown)"),
      lines: ["Registered \(shown)\(created.role == .administrator ? ", the administrator" : "")."],
      ["user": .user(created)],
      notes: isFree ? ["Try next:", "  \(run: "login", shown)", "  \(run: "home")"] : [])
  }

  /// Makes an account for somebody else, while registration is closed.
  private func registerOther(_ name: String, in workspace: Workspace) async throws(CommandError) -> Answer {
    if case .obstructed(let obstacle) = await workspace.restore() { throw CommandError(obstacle) }
    guard await Self.user(in: workspace)?.role == .administrator else {
      throw Self.closed(for: name, isAdministrator: false)
    }
    let code = try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try workspace.backend.registerOther(username: name, for: administrator, fresh, under: lease)
    }
    let shown = TextEscaping.escape(code.user.username)
    return workspace.issued(
      code,
      effect: .changed(
        "\(shown) is registered", hint: "Make a new code with: \(run: "accounts", "reset-password", shown)"),
      notes: ["Registered \(shown). Give the code to the new user."])
  }

  /// The user who is logged in here; nil if nobody is, or if that is unknown.
  private static func user(in workspace: Workspace) async -> User? {
    if case .loggedIn(let session) = await workspace.restore() { session.user } else { nil }
  }

  private static func closed(for name: String, isAdministrator: Bool) -> CommandError {
    CommandError(BackendError.refused(.registrationClosed)).withHint(
      isAdministrator
        ? "Omit the password to get a one-time code for the new user: \(run: "register", name)"
        : "Ask an administrator to run: \(runByOthers: "register", name)")
  }
}
