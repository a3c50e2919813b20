import AuthAccounts
import AuthCore
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// `profile [--name NAME]`.
enum ProfileCommand {
  static let command = Command<CommandBody>(
    "profile", soughtAs: ["balance"], summary: "Show, change or delete your profile",
    options: [newName],
    examples: [
      "profile": "shows your profile",
      "profile --name 'Alice B.'": "changes your display name, also in screens that are open",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst),
    subcommands: [DeleteAccountCommand.own]
  ) { _ in .anywhere(atDatabase: run, atProvider: run) }

  private static let newName = Option.optional("name", "NAME", Kinds.displayName, "Change your display name")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let newName = words[newName]
    let screen = try await workspace.open(UserScreen.self)
    let (profile, groups) = try await workspace.store.ask(screen.session) { (lease) throws(BackendError) in
      // Read first: after the change nothing may fail.
      let groups = try workspace.backend.groups(under: lease)
      if let newName { return (try workspace.backend.rename(to: newName, under: lease), groups) }
      return (try workspace.backend.profile(under: lease), groups)
    }
    let user = profile.user
    return CommandResult(
      newName == nil ? .onlyShows : .changed("the name is changed", hint: "Check with: \(run: "profile")"),
      lines: workspace.bar("Profile") + [
        "Name      \(user.displayName.escaped)", "Username  \(user.username.escaped)",
        "Role      \(user.role.rawValue)",
      ] + (groups.isEmpty ? [] : ["Groups    \(groups.words)"]) + [
        "Balance   \(Amount.text(profile.balance))",
        "Since     \(UTCTime(seconds: profile.createdAt.seconds).local)",
      ],
      [
        "user": .user(user), "balance": .string(Amount.text(profile.balance)),
        "created_at": .string(profile.createdAt.iso8601), "groups": groups.json,
      ])
  }
}

extension ProfileCommand {
  /// What the identity provider says about the user.
  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    let issuer = workspace.settings.issuer.escaped
    if words[newName] != nil { throw CommandError(code: .optionAtProvider, newName.declaration.flag, issuer) }
    let session = try await workspace.session()
    let claims = try await session.claims(at: workspace.authority)
    let rows = session.rows(with: claims)
    let width = (rows.map { DisplayWidth.columns($0.name.escaped) }.max() ?? 0) + 2
    return CommandResult(
      .onlyShows,
      lines: workspace.bar("Profile")
        + rows.map { DisplayWidth.pad($0.escaped, to: width) + $1.escaped }
        + [DisplayWidth.pad("Provider", to: width) + issuer],
      [
        "user": .user(session.user), "provider": .provider(workspace.settings),
        "claims": JSON((claims?.members ?? [:]).sorted { $0.key < $1.key }),
      ])
  }
}

/// `sessions`.
enum SessionsCommand {
  static let command = Command<CommandBody>(
    "sessions", summary: "List or revoke your sessions",
    discussion: [
      "FROM is where a session started: the terminal, the program and the remote host, if any. It helps you recognise "
        + "a session, but proves nothing."
    ],
    options: [shortSessions],
    examples: ["sessions": "shows all your sessions and marks this one"],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst),
    subcommands: [RevokeSessionCommand.command]
  ) { _ in .inWorkspace(run) }

  private static let shortSessions = Option.flag("short", "Print the IDs alone, one on a line")

  /// Shows all active sessions of the user, and marks this one.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let screen = try await workspace.open(UserScreen.self)
    let sessions = try await workspace.store.ask(screen.session, workspace.backend.sessions(under:))
    if words[shortSessions], !workspace.output.asJSON { return workspace.names(sessions.map(\.id.rawValue)) }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    return CommandResult(
      .onlyShows, lines: workspace.bar("Sessions") + workspace.lines(.sessions(sessions, deadlines)),
      ["sessions": .array(sessions.map { .session($0, deadlines) })])
  }
}

/// `sessions revoke ID`.
enum RevokeSessionCommand {
  static let command = Command<CommandBody>(
    "revoke", summary: "End one of your sessions",
    discussion: [Confirmation.ofPassword],
    arguments: [session],
    examples: ["sessions revoke k1a8rcny9q17": "ends that session, wherever it is used"]
  ) { _ in .inWorkspace(run) }

  private static let session = Argument.required(
    "ID", .identifier("a session", listedBy: "sessions --short"),
    "The ID of the session, as 'sessions' and 'events' show it")

  /// Ends the session, on whatever device it is used.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let id = words[session]
    let screen = try await workspace.open(UserScreen.self)
    let fresh = try await workspace.makeFresh(screen.session)
    try await workspace.store.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.revokeSession(SessionID(rawValue: id), for: fresh, under: lease)
    }
    if screen.session.id.rawValue == id { await workspace.forgetRevoked() }
    return CommandResult(
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

extension Backend {
  /// The other active sessions of the user.
  func otherSessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    try sessions(under: lease).filter { !$0.isCurrent }
  }

  /// Ends other sessions of the user; one that has ended meanwhile is no error.
  func revoke(
    _ others: [SessionSummary], for fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    for other in others {
      do throws(BackendError) {
        try revokeSession(other.id, for: fresh, under: lease)
      } catch {
        guard error.code == BackendError.Code.sessionNotFound.rawValue else { throw error }
      }
    }
  }
}

extension SessionSummary {
  /// A number of other sessions in words.
  static func others(_ count: Int) -> String {
    count == 1 ? "your other session" : "your \(count) other sessions"
  }
}
