import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `register [USER]`.
enum RegisterCommand {
  static let command = Command<CommandBody>(
    "register", soughtAs: ["create", "sign-up", "signup"], summary: "Create an account",
    discussion: [
      "The first account becomes the administrator. A new account starts with 100.00. Registering does not log you in.",
      "The password needs at least 15 characters, of any kind. You enter it twice on the terminal, and it is never "
        + "shown. Common passwords and your own name are refused.",
      "While registration is closed only an administrator creates accounts. 'register' then prints a one-time code, "
        + "valid for three days. With it the new user sets a password ('recover').",
    ],
    arguments: [newUser], options: [Options.passwordFromInput],
    examples: [
      "register alice": "asks for a new password, twice",
      "register bob --password-stdin < bob.password": "reads the password from a file, for scripts",
    ]
  ) { _ in .inWorkspace(run) }

  private static let newUser = Argument.optional(
    "USER", Kinds.username, "The name of the new account; if omitted, you are asked",
    neededBy: Options.passwordFromInput)

  /// Creates an account, and does not log in.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let backend = workspace.backend
    let name = try workspace.username(words[newUser], "Name of the new account: ")
    let password: Secret
    if words[Options.passwordFromInput] {
      password = Secret(bytes: try workspace.secrets(fromInput: ["password"])[0])
    } else {
      do throws(BackendError) {
        try backend.check(newUsername: name)
      } catch {
        guard error.code == BackendError.Code.registrationClosed.rawValue else { throw CommandError(error) }
        return try await registerOther(name, in: workspace)
      }
      password = try Prompt().newPassword(for: name, backend.check)
    }
    let created: User
    do throws(BackendError) {
      created = try backend.register(username: name, password: password, displayName: nil)
    } catch {
      guard error.code == BackendError.Code.registrationClosed.rawValue else { throw CommandError(error) }
      throw closed(for: name, isAdministrator: await user(in: workspace)?.role == .administrator)
    }
    let shown = TextEscaping.escape(created.username)
    // If another user is logged in here, the notes do not suggest to log in.
    let isFree = await user(in: workspace) == nil
    return CommandResult(
      .changed("\(shown) is registered", hint: "Log in with: \(run: "login", shown)"),
      lines: ["Registered \(shown)\(created.role == .administrator ? ", the administrator" : "")."],
      ["user": .user(created)],
      notes: isFree ? ["Try next:", "  \(run: "login", shown)", "  \(run: "home")"] : [])
  }

  /// Creates an account for another user while registration is closed.
  private static func registerOther(
    _ name: String, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    guard try await workspace.presence()?.user.role == .administrator else {
      throw closed(for: name, isAdministrator: false)
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

/// `password`.
enum ChangePasswordCommand {
  static let command = Command<CommandBody>(
    "password", soughtAs: ["passwd"], summary: "Change your password",
    discussion: [
      "Asks for your current password, and then twice for the new one. All your other sessions end.",
      "With --password-stdin the first line of standard input is the current password, the second is the new one. If "
        + "you log in in two steps, the third is a code.",
      "If something fails after the change, the message first says that the password is changed.",
    ],
    options: [passwordsFromInput],
    examples: [
      "password": "asks on the terminal",
      "password --password-stdin < both.passwords": "reads the current and the new password, one line each",
    ]
  ) { _ in .inWorkspace(run) }

  private static let passwordsFromInput = Option.flag(
    "password-stdin", "Read the current and the new password from standard input, one line each")

  /// Asks for the current password, then for the new one; the user's other sessions end.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let store = workspace.store
    let session = try await workspace.session()
    let name = session.user.username
    let (secrets, renewed) = try await workspace.askForPassword(
      of: name, among: ["current password", "new password"], fromInput: words[passwordsFromInput]
    ) { (password) throws(SessionError) in try await store.verifyPassword(of: session, password) }
    let new = words[passwordsFromInput] ? secrets[1] : try Prompt().newPassword(for: name, workspace.backend.check)
    let user = renewed.user
    let fresh = try await workspace.makeFresh(renewed)
    do throws(CommandError) {
      try await store.changePassword(from: secrets[0], to: new, fresh, at: workspace.backend)
    } catch {
      // The current password was accepted a moment ago, so another process has changed it since.
      guard error == CommandError(code: .wrongPassword) else { throw error }
      throw CommandError(code: .passwordChangedMeanwhile, user.username.escaped)
    }
    let change = "the password of \(TextEscaping.escape(user.username)) is changed"
    return CommandResult(
      .changed("\(change) and all other sessions are ended", hint: "Use the new password from now on."),
      lines: ["The password of \(user.username.escaped) is changed; all other sessions are ended."],
      ["user": .user(user)])
  }
}

/// `reauth`.
enum ReauthenticateCommand {
  static let command = Command<CommandBody>(
    "reauth", summary: "Enter your password again",
    discussion: [
      "Some commands need a password that you entered within the last 15 minutes: those that pay, end other sessions, make "
        + "recovery codes, change your password or your second step, delete your account, or change other accounts. On a "
        + "terminal these commands ask for it; a script runs this command first. A wrong password does not end the "
        + "session.",
      "If you log in in two steps, the command also asks for a code; with --password-stdin it is the second line.",
      "At an identity provider you log in there again, and the provider asks for the password.",
    ],
    options: [Options.passwordFromInput],
    examples: [
      "reauth": "asks for the password on the terminal",
      "reauth --password-stdin < alice.password": "reads the password from a file, for scripts",
    ]
  ) { _ in .anywhere(atDatabase: run, atProvider: run) }

  /// Logs in at the identity provider again, which prompts for the password.
  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    let settings = workspace.settings
    if words[Options.passwordFromInput] {
      throw CommandError(
        code: .optionAtProvider, Options.passwordFromInput.declaration.flag, settings.issuer.escaped)
    }
    let session = try await workspace.session()
    try workspace.requireIdentified(session.user)
    let credentials = try await workspace.obtainCredentials(prompting: true)
    let renewed = try await workspace.store.reauthenticate(session, with: credentials, at: settings.issuer)
    let deadlines = try Deadlines(clock: workspace.clock)
    return CommandResult(
      .changed("the login was confirmed and the session is renewed", hint: "Check with: \(run: "status")"),
      lines: ["Login of \(renewed.user.username.escaped) confirmed at \(settings.issuer.escaped)."],
      ["user": .user(renewed.user), "session": .session(renewed.id, renewed.limits, deadlines)])
  }

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let session = try await workspace.session()
    let renewed = try await workspace.askForPassword(
      of: session.user.username, fromInput: words[Options.passwordFromInput]
    ) {
      (password) throws(SessionError) in try await workspace.store.verifyPassword(of: session, password)
    }.session
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    return CommandResult(
      .changed("the password was accepted and the session is renewed", hint: "Check with: \(run: "status")"),
      lines: [
        "Password of \(renewed.user.username.escaped) confirmed; you will not be asked again for \(deadlines.remaining(renewed.limits.fresh))."
      ],
      ["user": .user(renewed.user), "session": .session(renewed.id, renewed.limits, deadlines)])
  }
}
