import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `status`.
struct StatusCommand: CommandBody {
  let isShort: Bool

  static var command: Command<any CommandBody> {
    Command("status", aliases: ["whoami"]) {
      .init(
        summary: "Show who is logged in",
        discussion: [
          "The exit status is 0 for yes, 1 for no, and 3 if something could not be read. This is not activity: it does not "
            + "prolong the session.",
          "With --short only the user name is printed, and nothing if nobody is logged in: for the prompt of a shell.",
        ],
        options: [Options.shortStatus],
        examples: [
          .init("status", "shows who is logged in and when the session ends"),
          .init("status --quiet && echo in", "asks in a script, by the exit status"),
          .init("status --short", "prints the user name alone"),
          .init("status --json", "prints the same as JSON"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell)
      ) { words throws(UsageError) in StatusCommand(isShort: try words[Options.shortStatus]) }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.status(isShort: isShort)
  }
}

extension Options {
  fileprivate static let shortStatus = Option.flag("short", "Print the user name and nothing else")
}

extension Workspace {
  /// `status`: yes, no, or cannot tell.
  ///
  /// It is not activity.
  func status(isShort: Bool) async throws(CommandError) -> Answer {
    switch await restore() {
    case .loggedIn(let session): return try yes(session.user, session.id, session.limits, isShort: isShort)
    case .loggedOut(let reason): return absent(reason, isShort: isShort)
    case .obstructed(let obstacle): throw CommandError(obstacle)
    case .overtaken, .cancelled: throw CommandError(SessionError.overtaken)
    }
  }

  private func yes(
    _ user: User, _ id: SessionID, _ limits: SessionLimits, isShort: Bool
  ) throws(CommandError) -> Answer {
    if isShort, !printer.asJSON { return Answer(.onlyShows, lines: [TextEscaping.escape(user.username)]) }
    let deadlines = try Deadlines(clock: backend.clock)
    let role = user.role == .administrator ? ", administrator" : ""
    return Answer(
      .onlyShows,
      lines: [
        "Logged in as \(escaping: user.username) (\(escaping: user.displayName)\(role)).",
        "Without activity the session ends in \(deadlines.remaining(limits.idle)), in any case in \(deadlines.remaining(limits.absolute)).",
        placesLine,
      ],
      [
        "logged_in": true, "user": .user(user),
        "session": .session(id, limits, deadlines),
        "context": .string(self.context.description), "context_from": .string(orNull: self.globals.contextVariable),
        "sessions_from": .string(orNull: self.places.stateVariable),
        "accounts_from": .string(orNull: self.accountsVariable),
        "server": .server(self.backend.connection),
      ])
  }

  /// The variable that says where the accounts are.
  private var accountsVariable: String? { places.service == nil ? places.dataVariable : Places.serviceVariable }

  private func absent(_ reason: LogoutReason, isShort: Bool) -> Answer {
    if isShort, !printer.asJSON { return Answer(.onlyShows, status: .no) }
    let (sentence, code, hint): (String, String?, Hint) =
      switch reason {
      case .neverLoggedIn: ("Nobody is logged in", nil, "Log in with: \(run: "login", "USER")")
      case .ended(let reason) where reason == .accountDisabled || reason == .accountDeleted:
        ("Nobody is logged in: \(reason.clause)", reason.code, CommandError.ended(reason).hint)
      case .ended(let reason):
        ("Nobody is logged in: \(reason.clause)", reason.code, "Log in with: \(run: "login", "USER")")
      }
    return Answer(
      .onlyShows, status: .no, lines: ["\(sentence).", placesLine],
      [
        "logged_in": false, "reason": .string(orNull: code), "context": .string(self.context.description),
        "context_from": .string(orNull: self.globals.contextVariable),
        "sessions_from": .string(orNull: self.places.stateVariable),
        "accounts_from": .string(orNull: self.accountsVariable),
        "server": .server(self.backend.connection),
      ], notes: [hint])
  }

  /// Which context and which directories, and what chose them.
  private var placesLine: String {
    // Put together by hand: the first `joined` of a process takes longer than reading the session
    // file.
    var line = "Context \(context)"
    if let variable = globals.contextVariable { line += " (from \(variable))" }
    if let variable = places.stateVariable {
      line += ", sessions in \(TextEscaping.escape(places.state)) (from \(variable))"
    }
    if places.service != nil {
      if backend.connection == nil {
        line += ", accounts at the service that \(Places.serviceVariable) names (it was not asked)"
      }
    } else if let variable = places.dataVariable, places.data != places.state {
      line += ", accounts in \(TextEscaping.escape(places.data)) (from \(variable))"
    }
    line += "."
    if let server = backend.connection {
      line += " Database \(TextEscaping.escape(server.database)) at \(TextEscaping.escape(server.place))"
      line += ", \(server.protection). Only its administrators can administer it."
    }
    return line
  }
}
