import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `login [USER]`.
enum LogInCommand {
  static let command = Command<CommandBody>(
    "login", soughtAs: ["sign-in", "signin"], summary: "Log in, or renew the session",
    discussion: [
      "If you are logged in already, this renews your session. If another user is logged in here, use --switch.",
      "A session ends after 30 minutes without activity and after 8 hours at the latest. --idle and --absolute make these "
        + "times shorter, never longer, until the next login. A restart of the machine ends the session too.",
      "After 5 wrong passwords in a row you must wait, for 30 seconds at first. If you forgot the password, 'recover' "
        + "sets a new one with a code: one of your recovery codes, or one from an administrator.",
      "With --provider you log in at an identity provider instead, such as that of your company: in the browser, with "
        + "a code on another device, or by pasting the address to which a browser returned. The context remembers the "
        + "provider, so the next time 'login' is enough. 'token' then prints an access token.",
      "With --resource you log in for a resource that needs a token, such as an MCP server: it names its provider, and "
        + "the program registers there, unless --client-id names a client. Before the browser opens, it says for what it "
        + "requests a token. If resource and provider have different hosts, it asks once. --scope adds to the scopes that "
        + "were requested before.",
      "With --client-credentials nobody logs in: the client of a service or a job gets access tokens for itself. It has "
        + "a secret, which --client-secret-stdin reads and the context stores; or a file with a signed assertion, such as a "
        + "Kubernetes token. 'token', 'run' and 'credential' work as after a login; commands about a user do not.",
      "If you log in in two steps, the command asks for a code after the password: one of your authenticator app, or one of "
        + "your recovery codes. With --password-stdin it is the second line of standard input, which is read only if "
        + "it is needed.",
    ],
    arguments: [user],
    options: [switching, idle, absolute, Options.passwordFromInput] + LogInAtProvider.options + ResourceLogin.options,
    examples: [
      "login alice": "asks for the password on the terminal",
      "login alice --idle 5m --absolute 1h": "asks for a shorter session",
      "login bob --switch": "ends the session that is open here and logs bob in",
      "login alice --password-stdin < alice.password": "reads the password from a file, for scripts",
      "login --provider https://id.example.com --client-id cli": "logs in at an identity provider",
      "login --resource https://mcp.example.com/mcp": "logs in for an MCP server",
      "login --provider https://id.example.com --client-id job --client-credentials --client-secret-stdin < secret":
        "gets access for the client itself",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .credentials, .throttled)
  ) { _ in
    CommandBody { (words, output, makeBackend) async throws(CommandError) in
      let location = try ContextLocation(words)
      guard let login = try LogInAtProvider(words, location, databaseOptions: [Options.passwordFromInput]) else {
        if words[Options.passwordFromInput], words[user] == nil {
          throw .missing(user.declaration, with: Options.passwordFromInput.declaration, path: words.path)
        }
        return try await run(words, in: try Workspace(location, output, makeBackend))
      }
      if words[user] != nil { throw CommandError(code: .userAtProvider, location.context.description) }
      if login.isOfClient {
        let ofSession: [any DeclaredOption] = [switching, idle, absolute]
        if let other = ofSession.first(where: { words.origin(of: $0) != .notGiven }) {
          throw CommandError(code: .optionWithoutUser, other.declaration.flag)
        }
        return try await atProvider { () async throws(CommandError) in try await login.runAsClient(output) }
      }
      let limits = LimitRequest(idle: words[idle], absolute: words[absolute])
      return try await atProvider { () async throws(CommandError) in
        try await login.run(output, isSwitch: words[switching], limits: limits)
      }
    }
  }

  private static let switching = Option.flag(
    "switch", "Log in even if another user is logged in here, and end that session")
  private static let idle = Option.optional(
    "idle", "DURATION", Kinds.duration, "End the session after this time without activity; never later than by default")
  private static let absolute = Option.optional(
    "absolute", "DURATION", Kinds.duration, "End the session after this time at the latest; never later than by default"
  )
  private static let user = Argument.optional(
    "USER", Kinds.localUser, "Your user name; if omitted, you are asked")

  /// Begins a session, renews that of the same user, or with `--switch` replaces another user's.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    workspace.backend.endings.eraseDisabled()
    let backend = workspace.backend
    let fromInput = words[Options.passwordFromInput]
    if !fromInput { try explained { () throws(BackendError) in try backend.checkForLogins() } }
    let name = try workspace.username(words[user], "User: ")
    let limits = LimitRequest(idle: words[idle], absolute: words[absolute])
    let present = try await workspace.presenceBeforeLogin()
    let isSame = present?.user.username == name.lowercased()
    if let present, !isSame, !words[switching] {
      throw CommandError(code: .otherUserLoggedIn, present.user.username.escaped)
    }
    let store = workspace.store
    var verb = present == nil ? "Logged in as" : isSame ? "Renewed the session of" : "Switched to"
    let session = try await workspace.askForPassword(
      of: name, fromInput: fromInput, wrong: CommandError(code: .wrongCredentials)
    ) { (password) throws(SessionError) in
      let credentials = Credentials.password(username: name, password: password)
      guard let present else { return try await store.logIn(credentials, limits: limits) }
      // A limit that is not requested now is the default, and not that of the session before.
      let policy = SessionPolicy.standard
      let renewed = LimitRequest(idle: limits.idle ?? policy.idle, absolute: limits.absolute ?? policy.absolute)
      do throws(SessionError) {
        return isSame
          ? try await store.verifyPassword(of: present, password, limits: renewed)
          : try await store.switchUser(from: present, to: credentials, limits: limits)
      } catch {
        // Another process ended it meanwhile. A user who typed name and password wants a session
        // all the same.
        guard case .ended = error else { throw error }
        verb = "Logged in as"
        return try await store.logIn(credentials, limits: limits)
      }
    }.session
    let needsTwoStep = await workspace.needsTwoStep(session)
    let answer = try describe(session, verb, limits, needsTwoStep: needsTwoStep, in: workspace)
    guard needsTwoStep, !fromInput, !workspace.output.asJSON else { return answer }
    // A user at a terminal sets it up immediately.
    try workspace.output.show(answer)
    return try await TwoStepCommand.turnOn(session, in: workspace)
  }

  private static func describe(
    _ session: LoggedInSession, _ verb: String, _ wish: LimitRequest, needsTwoStep: Bool, in workspace: Workspace
  ) throws(CommandError) -> CommandResult {
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    let variable = workspace.contextVariable
    let leftovers = workspace.store.leftovers
    let policy = workspace.backend.policy
    // The requested limits that are longer than the limits of a session.
    let cuts = [(wish.idle, idle, policy.idle), (wish.absolute, absolute, policy.absolute)]
      .filter { wish, _, limit in wish.map { $0 > limit } == true }
      .map { (flag: $1.declaration.flag, limit: $2) }
    var notes = cuts.map { Hint("\($0.flag) is cut to \($0.limit.words), the longest time allowed.") }
    if leftovers != .none { notes.append("The previous session: \(leftovers.words(at: "database")).") }
    if needsTwoStep { notes.append(Workspace.twoStepFirst) }
    if let variable { notes.append("In context \(workspace.context) (from \(variable)).") }
    return CommandResult(
      .changed("\(TextEscaping.escape(session.user.username)) is logged in", hint: "Check with: \(run: "status")"),
      lines: [
        "\(verb) \(session.user.username.escaped). \(deadlines.ending(session.limits.first))"
      ],
      [
        "user": .user(session.user), "session": .session(session.id, session.limits, deadlines),
        "context": .string(workspace.context.description), "context_from": .string(orNull: variable),
        "cut": .array(cuts.map { .string($0.flag) }), "two_step_needed": .bool(needsTwoStep),
        "leftovers": leftovers == .none ? nil : .string(leftovers.words(at: "database")),
      ], notes: notes)
  }
}
