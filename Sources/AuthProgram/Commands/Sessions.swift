import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `sessions`.
struct SessionsCommand: CommandBody {
  let isShort: Bool

  static let command = Command<any CommandBody>(
    "sessions", summary: "List or revoke your sessions",
    discussion: [
      "FROM is where a session started: the terminal, the program and the remote host, if any. It helps you recognise "
        + "a session, but proves nothing."
    ],
    options: [shortSessions],
    examples: ["sessions": "shows all your sessions and marks this one"],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst),
    subcommands: [RevokeSessionCommand.command]
  ) { words in SessionsCommand(isShort: words[shortSessions]) }

  private static let shortSessions = Option.flag("short", "Print the IDs alone, one on a line")

  /// Shows every active session of the user, this one marked.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(UserScreen.self)
    let sessions = try await workspace.ask(screen.session, workspace.backend.sessions(under:))
    if isShort, !workspace.printer.asJSON { return workspace.names(sessions.map(\.id.rawValue)) }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    return Answer(
      .onlyShows, lines: workspace.bar("Sessions") + workspace.lines(.sessions(sessions, deadlines)),
      ["sessions": .array(sessions.map { .session($0, deadlines) })])
  }
}

/// `sessions revoke ID`.
struct RevokeSessionCommand: CommandBody {
  let id: String

  static let command = Command<any CommandBody>(
    "revoke", summary: "End one of your sessions",
    discussion: ["Needs a password that you entered recently, and asks for it on a terminal."],
    arguments: [session],
    examples: ["sessions revoke k1a8rcny9q17": "ends that session, wherever it is used"],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in RevokeSessionCommand(id: words[session]) }

  private static let session = Argument.required(
    "ID", .identifier("a session", listedBy: "sessions --short"),
    "The ID of the session, as 'sessions' and 'events' show it")

  /// Ends the session, wherever it is used.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(UserScreen.self)
    let fresh = try await workspace.fresh(screen.session)
    try await workspace.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.revokeSession(SessionID(rawValue: id), for: fresh, under: lease)
    }
    if screen.session.id.rawValue == id { await workspace.forgetRevoked() }
    return Answer(
      .changed("session \(TextEscaping.escape(id)) is revoked", hint: "Your other sessions: \(run: "sessions")"),
      lines: workspace.bar("Sessions") + ["Revoked session \(id.escaped)."], ["revoked": .string(id)])
  }
}

extension JSON {
  fileprivate static func session(_ session: SessionSummary, _ deadlines: Deadlines) -> JSON {
    [
      "id": .string(session.id.rawValue), "context": .string(orNull: session.label),
      "current": .bool(session.isCurrent), "origin": session.origin.map(JSON.origin) ?? .null,
      "created_at": .string(session.createdAt.iso8601),
      "active_at": .string(session.activeAt.iso8601),
      "idle_until": .string(orNull: deadlines.moment(session.limits.idle)?.iso8601),
      "absolute_until": .string(orNull: deadlines.moment(session.limits.absolute)?.iso8601),
    ]
  }

  fileprivate static func origin(_ origin: SessionOrigin) -> JSON {
    [
      "terminal": .string(orNull: origin.terminal), "program": .string(orNull: origin.program),
      "host": .string(orNull: origin.host),
    ]
  }
}
