import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// `status`.
struct StatusCommand: CommandBody {
  let isShort: Bool

  static let command = Command<any CommandBody>(
    "status", aliases: ["whoami"], summary: "Show who is logged in",
    discussion: [
      "The exit status is 0 for yes, 1 for no, and 3 if something could not be read. This is not activity: it does not "
        + "prolong the session.",
      "With --short only the user name is printed, and nothing if nobody is logged in: for the prompt of a shell.",
    ],
    options: [shortStatus],
    examples: [
      "status": "shows who is logged in and when the session ends",
      "status --quiet && echo in": "asks in a script, by the exit status",
      "status --short": "prints the user name alone",
      "status --json": "prints the same as JSON",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words in StatusCommand(isShort: words[shortStatus]) }

  private static let shortStatus = Option.flag("short", "Print the user name and nothing else")

  /// Says yes, no, or that it cannot tell; it is not activity.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    switch try await workspace.presence() {
    case .user(let session): try yes(session, in: workspace)
    case .nobody(let reason): no(reason, in: workspace)
    }
  }

  private func yes(_ session: LoggedInSession, in workspace: Workspace) throws(CommandError) -> Answer {
    let (user, limits) = (session.user, session.limits)
    if isShort, !workspace.printer.asJSON { return workspace.names([user.username]) }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    let role = user.role == .administrator ? ", administrator" : ""
    return Answer(
      .onlyShows,
      lines: [
        "Logged in as \(user.username.escaped) (\(user.displayName.escaped)\(role)).",
        "Without activity the session ends in \(deadlines.remaining(limits.idle)), in any case in \(deadlines.remaining(limits.absolute)).",
        workspace.placesLine,
      ],
      [
        "logged_in": true, "user": .user(user),
        "session": .session(session.id, limits, deadlines),
        "context": .string(workspace.context.description),
        "context_from": .string(orNull: workspace.globals.contextVariable),
        "sessions_from": .string(orNull: workspace.places.stateVariable),
        "accounts_from": .string(orNull: workspace.accountsVariable),
        "server": .server(workspace.backend.connection),
      ])
  }

  private func no(_ reason: LogoutReason, in workspace: Workspace) -> Answer {
    if isShort, !workspace.printer.asJSON { return Answer(.onlyShows, status: .no) }
    var sentence = "Nobody is logged in"
    var code: String?
    var hint: Hint = "Log in with: \(run: "login", "USER")"
    if case .ended(let reason) = reason {
      sentence += ": \(reason.clause)"
      code = reason.code
      if reason == .accountDisabled || reason == .accountDeleted { hint = CommandError.ended(reason).hint }
    }
    return Answer(
      .onlyShows, status: .no, lines: ["\(sentence).", workspace.placesLine],
      [
        "logged_in": false, "reason": .string(orNull: code), "context": .string(workspace.context.description),
        "context_from": .string(orNull: workspace.globals.contextVariable),
        "sessions_from": .string(orNull: workspace.places.stateVariable),
        "accounts_from": .string(orNull: workspace.accountsVariable),
        "server": .server(workspace.backend.connection),
      ], notes: [hint])
  }
}

extension Workspace {
  /// The variable that says where the accounts are.
  fileprivate var accountsVariable: String? {
    places.service == nil ? places.dataVariable : Places.serviceVariable
  }

  /// Which context and which directories, and what chose them.
  fileprivate var placesLine: String {
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
