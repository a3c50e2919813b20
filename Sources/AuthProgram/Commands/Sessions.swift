import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `sessions`.
struct SessionsCommand: CommandBody {
  let isShort: Bool

  static var command: Command<any CommandBody> {
    Command("sessions") {
      .init(
        summary: "List or revoke your sessions",
        discussion: [
          "FROM is where a session started: the terminal, the program and the remote host, if any. It helps you recognise "
            + "a session, but proves nothing."
        ],
        options: [Options.shortSessions],
        examples: [.init("sessions", "shows all your sessions and marks this one")],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst),
        subcommands: [RevokeSessionCommand.command]
      ) { words throws(UsageError) in SessionsCommand(isShort: try words[Options.shortSessions]) }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.sessions(isShort: isShort)
  }
}

/// `sessions revoke ID`.
struct RevokeSessionCommand: CommandBody {
  let id: String

  static var command: Command<any CommandBody> {
    Command("revoke") {
      .init(
        summary: "End one of your sessions",
        discussion: ["Needs a password that you entered recently, and asks for it on a terminal."],
        arguments: [Arguments.session],
        examples: [.init("sessions revoke k1a8rcny9q17", "ends that session, wherever it is used")],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        RevokeSessionCommand(id: try words[Arguments.session])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.revokeSession(id)
  }
}

extension Options {
  fileprivate static let shortSessions = Option.flag("short", "Print the IDs alone, one on a line")
}

extension Arguments {
  fileprivate static let session = Argument.required(
    "ID", .identifier("a session", listedBy: "sessions --short"),
    "The ID of the session, as 'sessions' and 'events' show it")
}

extension Workspace {
  /// `sessions`: every live session of the user, this one marked.
  func sessions(isShort: Bool) async throws(CommandError) -> Answer {
    let screen = try await open(SessionsScreen.self)
    let sessions = try await asking { () throws(LeaseError<BackendError>) in try screen.sessions(at: backend) }
    if isShort, !printer.asJSON {
      return Answer(.onlyShows, lines: sessions.map { TextEscaping.escape($0.id.rawValue) })
    }
    let deadlines = try Deadlines(clock: backend.clock)
    return Answer(
      .onlyShows, lines: bar("Sessions") + lines(.sessions(sessions, deadlines)),
      [
        "sessions": .array(
          sessions.map { session in
            .members([
              "id": .string(session.id.rawValue), "context": .string(orNull: session.label),
              "current": .bool(session.isCurrent), "origin": session.origin.map(JSON.origin) ?? .null,
              "created_at": .string(session.createdAt.iso8601),
              "active_at": .string(session.activeAt.iso8601),
              "idle_until": .string(orNull: deadlines.moment(session.limits.idle)?.iso8601),
              "absolute_until": .string(orNull: deadlines.moment(session.limits.absolute)?.iso8601),
            ])
          })
      ])
  }

  /// `sessions revoke ID`: ends one, wherever it is used.
  func revokeSession(_ id: String) async throws(CommandError) -> Answer {
    let screen = try await open(SessionsScreen.self)
    let fresh = try await fresh(screen.session)
    try await asking { () throws(LeaseError<BackendError>) in
      try screen.revoke(SessionID(rawValue: id), with: fresh, at: backend)
    }
    if screen.session.id.rawValue == id { await forgetRevoked() }
    return Answer(
      .changed("session \(TextEscaping.escape(id)) is revoked", hint: "Your other sessions: \(run: "sessions")"),
      lines: bar("Sessions") + ["Revoked session \(escaping: id)."], ["revoked": .string(id)])
  }
}

extension JSON {
  fileprivate static func origin(_ origin: SessionOrigin) -> JSON {
    .members([
      "terminal": .string(orNull: origin.terminal), "program": .string(orNull: origin.program),
      "host": .string(orNull: origin.host),
    ])
  }
}
