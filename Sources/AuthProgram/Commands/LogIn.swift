import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `login [USER]`.
struct LogInCommand: CommandBody {
  let user: String?
  let switching: Bool
  let idle: Duration?
  let absolute: Duration?
  let passwordFromInput: Bool

  static var command: Command<any CommandBody> {
    Command("login", soughtAs: ["sign-in", "signin"]) {
      .init(
        summary: "Log in, or renew the session",
        discussion: [
          "If you are logged in already, this renews your session. If another user is logged in here, give --switch.",
          "A session ends after 30 minutes without activity and after 8 hours in any case. --idle and --absolute make these "
            + "times shorter, never longer, until the next login. A restart of the machine ends the session too.",
          "After 5 wrong passwords in a row you must wait, for 30 seconds at first. If you forgot the password, 'recover' "
            + "sets a new one with a code: one of your recovery codes, or one from an administrator.",
          "If you log in in two steps, a code is asked for after the password: one of your authenticator app, or one of "
            + "your recovery codes. With --password-stdin it is the second line of standard input, which is read only if "
            + "it is needed.",
        ],
        arguments: [Arguments.user],
        options: [Options.switching, Options.idle, Options.absolute, Options.passwordFromInput],
        examples: [
          .init("login alice", "asks for the password on the terminal"),
          .init("login alice --idle 5m --absolute 1h", "asks for a shorter session"),
          .init("login bob --switch", "ends the session that is open here and logs bob in"),
          .init("login alice --password-stdin < alice.password", "reads the password from a file, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .credentials, .throttled)
      ) { words throws(UsageError) in
        LogInCommand(
          user: try words[Arguments.user, neededBy: Options.passwordFromInput],
          switching: try words[Options.switching], idle: try words[Options.idle], absolute: try words[Options.absolute],
          passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.logIn(
      user, switching: switching, idle: idle, absolute: absolute, passwordFromInput: passwordFromInput)
  }
}

extension Arguments {
  fileprivate static let user = Argument.optional("USER", Kinds.localUser, "Your user name; if omitted, you are asked")
}

extension Options {
  fileprivate static let switching = Option.flag(
    "switch", "Log in even if another user is logged in here, and end that session")
  fileprivate static let idle = Option.optional(
    "idle", "DURATION", Kinds.duration,
    "End the session after this time without activity; never later than by default")
  fileprivate static let absolute = Option.optional(
    "absolute", "DURATION", Kinds.duration,
    "End the session after this time in any case; never later than by default")
}

extension Workspace {
  /// `login [USER]`: begins a session, renews that of the same user, or with `--switch` takes
  /// another user's place.
  func logIn(
    _ user: String?, switching: Bool, idle: Duration?, absolute: Duration?, passwordFromInput: Bool
  ) async throws(CommandError) -> Answer {
    forgetsDisabled = true
    if !passwordFromInput { try valid { () throws(BackendError) in try backend.checkForLogins() } }
    let name = try username(user, "User: ")
    let limits = LimitRequest(idle: idle, absolute: absolute)
    let present = try await present()
    if let present, present.user.username != name.lowercased(), !switching {
      throw CommandError(code: .otherUserLoggedIn, present.user.username.escaped, name)
    }
    let isSame = present?.user.username == name.lowercased()
    var verb = present == nil ? "Logged in as" : isSame ? "Renewed the session of" : "Switched to"
    let begin: (Secret) async throws(SessionError) -> LoginResult = { (password) throws(SessionError) in
      let credentials = Credentials.password(username: name, password: password)
      if present == nil { return try await self.store.logIn(credentials, limits: limits) }
      // What is not asked for now is as long as for any login, and not as the session before had
      // it.
      let policy = SessionPolicy.standard
      let renewed = LimitRequest(idle: idle ?? policy.idle, absolute: absolute ?? policy.absolute)
      do throws(SessionError) {
        return isSame
          ? try await self.reauthenticate(password, limits: renewed)
          : try await self.store.switchUser(to: credentials, limits: limits)
      } catch {
        // Another process ended it meanwhile. Who typed name and password has asked for a session
        // all the same.
        guard case .ended = error else { throw error }
        verb = "Logged in as"
        return try await self.store.logIn(credentials, limits: limits)
      }
    }
    let session =
      passwordFromInput
      ? try await PasswordQuestion.fromInput(
        wrong: CommandError(code: .wrongCredentials), in: store, printer,
        check: { (lines) throws(SessionError) in try await begin(lines[0]) }
      ).session
      : try await PasswordQuestion.onTerminal(
        for: name, wrong: CommandError(code: .wrongCredentials), in: store, check: begin
      ).session
    let beginning = Beginning(session: session, verb: verb, leftovers: store.leftovers)
    let needsTwoStep = await needsTwoStep(beginning.session)
    let answer = try describe(beginning, asked: limits, needsTwoStep: needsTwoStep)
    guard needsTwoStep, !passwordFromInput, !printer.asJSON else { return answer }
    // Whoever is at a terminal sets it up at once.
    try printer.show(answer)
    return try await turnTwoStepOn(beginning.session)
  }

  private struct Beginning {
    let session: LoggedInSession
    let verb: String
    let leftovers: IncompleteCleanup
  }

  /// Who is logged in now.
  ///
  /// An unusable session file is no obstacle to a login; an authority that cannot be asked is.
  private func present() async throws(CommandError) -> LoggedInSession? {
    switch await restore() {
    case .loggedIn(let session): return session
    case .loggedOut, .obstructed(.vault), .obstructed(.corrupt): return nil
    case .obstructed(.authority(let cause)): throw CommandError(cause)
    case .overtaken, .cancelled: throw CommandError(SessionError.overtaken)
    }
  }

  static let twoStepFirst: Hint =
    "Administrators need a second step. Nothing else works before: \(run: "two-step", "on")"

  /// Whether the user must set up a second step before anything else.
  ///
  /// Where that cannot be told now, the next command says it.
  func needsTwoStep(_ session: LoggedInSession) async -> Bool {
    guard session.user.role == .administrator else { return false }
    do throws(CommandError) {
      let state = try await ask(session) { (lease) throws(BackendError) in try backend.twoStep(under: lease) }
      return state.isRequired && !state.isOn
    } catch {
      return false
    }
  }

  private func describe(
    _ beginning: Beginning, asked: LimitRequest, needsTwoStep: Bool
  ) throws(CommandError) -> Answer {
    let deadlines = try Deadlines(clock: backend.clock)
    let user = beginning.session.user
    let cuts = cuts(of: asked)
    var notes = cuts.map { Hint("\($0.flag) is cut to \(Deadlines.words($0.limit)), the longest time allowed.") }
    if beginning.leftovers != .none { notes.append("The previous session: \(beginning.leftovers.words).") }
    if needsTwoStep { notes.append(Self.twoStepFirst) }
    if let variable = globals.contextVariable { notes.append("In context \(context) (from \(variable)).") }
    return Answer(
      .changed("\(TextEscaping.escape(user.username)) is logged in", hint: "Look with: \(run: "status")"),
      lines: [
        "\(beginning.verb) \(escaping: user.username). Without activity the session ends in \(deadlines.remaining(beginning.session.limits))."
      ],
      [
        "user": .user(user),
        "session": .session(beginning.session.id, beginning.session.limits, deadlines),
        "context": .string(self.context.description),
        "context_from": .string(orNull: self.globals.contextVariable),
        "cut": .array(cuts.map { .string($0.flag) }),
        "two_step_needed": .bool(needsTwoStep),
        "leftovers": beginning.leftovers == .none ? nil : .string(beginning.leftovers.words),
      ], notes: notes)
  }

  /// The limits that were asked for and are longer than a session may have, each with what it is
  /// instead.
  private func cuts(of asked: LimitRequest) -> [(flag: String, limit: Duration)] {
    let policy = backend.policy
    let limits: [(Duration?, flag: String, limit: Duration)] = [
      (asked.idle, Options.idle.declaration.flag, policy.idle),
      (asked.absolute, Options.absolute.declaration.flag, policy.absolute),
    ]
    return limits.compactMap { wish, flag, limit in
      wish.map { $0 > limit } == true ? (flag, limit) : nil
    }
  }
}
