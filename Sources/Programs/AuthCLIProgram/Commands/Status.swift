import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// `status`.
enum StatusCommand {
  static let command = Command<CommandBody>(
    "status", aliases: ["whoami"], summary: "Show who is logged in",
    discussion: [
      "The exit status is 0 for yes, 1 for no, and 3 if something could not be read. This is not activity: it does not "
        + "prolong the session.",
      "With --short only the user name is printed, and nothing if nobody is logged in: for the prompt of a shell.",
    ],
    options: [shortStatus],
    examples: [
      "status": "shows who is logged in and when the session ends",
      "status --quiet && echo in": "checks in a script, by the exit status",
      "status --short": "prints the user name alone",
      "status --json": "prints the same as JSON",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { _ in
    CommandBody { (words, output, makeBackend) async throws(CommandError) in
      let body = CommandBody.anywhere(
        use: .readsOnly, withoutLogin: .no, atDatabase: run, atProvider: run, asClient: run)
      guard words[shortStatus], !output.asJSON else { return try await body.run(words, output, makeBackend) }
      // For a shell prompt, it does not wait, and prints a name or nothing.
      do throws(CommandError) { return try await body.run(words, output, makeBackend.forShell) } catch {
        return CommandResult(.onlyShows, status: error.status)
      }
    }
  }

  private static let shortStatus = Option.flag("short", "Print the user name and nothing else")

  /// Prints who is logged in, with the status for yes, no or unknown; it is not activity.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let session = try await workspace.presence()
    if words[shortStatus], !workspace.output.asJSON { return short(session, in: workspace) }
    guard let session else { return no(in: workspace) }
    let (user, limits) = (session.user, session.limits)
    let deadlines = try Deadlines(clock: workspace.clock)
    let role = user.role == .administrator ? ", administrator" : ""
    return CommandResult(
      .onlyShows,
      lines: [
        "Logged in as \(user.username.escaped) (\(user.displayName.escaped)\(role)).",
        deadlines.ending(limits.idle, limits.absolute),
        workspace.placesLine,
      ],
      [
        "logged_in": true, "user": .user(user), "session": .session(session.id, limits, deadlines),
      ] + workspace.placesDocument)
  }

  /// The user name alone, or nothing.
  private static func short(_ session: LoggedInSession?, in workspace: ContextWorkspace) -> CommandResult {
    session.map { workspace.names([$0.user.username]) } ?? CommandResult(.onlyShows, status: .no)
  }

  private static func no(in workspace: Workspace) -> CommandResult {
    let reason = workspace.store.endReason
    let isClosed = reason == .accountDisabled || reason == .accountDeleted
    let hint = isClosed ? reason.map { CommandError.ended($0).hint } : nil
    return CommandResult(
      .onlyShows, status: .no,
      lines: ["Nobody is logged in\(reason.map { ": \($0.clause)" } ?? "").", workspace.placesLine],
      ["logged_in": false, "reason": .string(orNull: reason?.code)] + workspace.placesDocument,
      notes: [(hint ?? workspace.loginHint).naming(workspace.knownUser)] + otherContexts(besides: workspace.location))
  }

  /// The command that shows the other contexts, if there are any.
  static func otherContexts(besides location: ContextLocation) -> [Hint] {
    let others = (try? FileVault.contexts(in: location.directories.state))?.filter { $0 != location.context } ?? []
    return others.isEmpty ? [] : ["Other contexts on this device: \(runByOthers: "contexts")"]
  }

  /// The same at an identity provider, which is asked only if it checks refresh tokens.
  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    if words[shortStatus], !workspace.output.asJSON {
      // A shell prompt must not wait for the provider.
      let workspace = ProviderWorkspace(
        workspace.location, workspace.output, workspace.settings, .readsOnly, onlyTokens: true)
      return short(try await workspace.presence(), in: workspace)
    }
    let session = try await workspace.presence()
    let (reason, issuer) = (workspace.store.endReason, workspace.settings.issuer.escaped)
    let deadlines = try Deadlines(clock: workspace.clock)
    let token = session.flatMap { _ in workspace.vault.savedToken }
    var lines = ["Nobody is logged in\(reason.map { ": \($0.clause)" } ?? "")."]
    if let session {
      let limits = session.limits
      let fullName = session.user.isIdentified ? " (\(session.user.displayName.escaped))" : ""
      lines = [
        "Logged in as \(session.user.username.escaped)\(fullName) at \(issuer).",
        deadlines.validity(of: token),
      ]
      lines += workspace.identityNotes + workspace.grantNotes(for: session.user)
      if limits.first != .never { lines.append(deadlines.ending(limits.idle, limits.absolute)) }
    }
    return CommandResult(
      .onlyShows, status: session == nil ? .no : .done,
      lines: lines + [
        workspace.location.line(at: workspace.settings.place, with: workspace.vault, isSaved: session != nil)
      ],
      [
        "logged_in": .bool(session != nil), "reason": .string(orNull: reason?.code),
        "user": session.map { .user($0.user) } ?? .null,
        "session": session.map { .session($0.id, $0.limits, deadlines) } ?? .null,
        "provider": .provider(workspace.settings), "access_token_until": .end(of: token, deadlines),
      ] + workspace.grantDocument(for: session?.user) + workspace.identityDocument + workspace.location.document,
      notes: session == nil ? ["Log in with: \(run: "login")"] : [])
  }
}

extension StatusCommand {
  /// The same for a client that acts for itself; it sends nothing.
  private static func run(
    _ words: ParsedWords, in workspace: ClientWorkspace
  ) async throws(CommandError) -> CommandResult {
    let (grant, provider) = (try workspace.saved(), workspace.settings.provider)
    let status: ExitStatus = grant == nil ? .no : .done
    if words[shortStatus], !workspace.output.asJSON {
      return CommandResult(
        .onlyShows, status: status, text: grant == nil ? "" : TextEscaping.escape(provider.clientID) + "\n")
    }
    let deadlines = try Deadlines(clock: workspace.clock)
    var lines = ["Nobody is logged in."]
    if let grant {
      let client = "The client \(provider.clientID.escaped) has access at \(provider.issuer.escaped)"
      lines = ["\(client), for itself and no user.", deadlines.validity(of: grant.access)]
      if let file = workspace.settings.assertionFile { lines.append("Its assertion is read from \(file.escaped).") }
    }
    return CommandResult(
      .onlyShows, status: status,
      lines: lines + [workspace.location.line(at: provider.issuer, with: workspace.vault, isSaved: grant != nil)],
      [
        "logged_in": .bool(grant != nil), "reason": nil, "user": nil, "session": nil,
        "provider": .provider(.client(workspace.settings)),
        "access_token_until": .end(of: grant?.access, deadlines),
        "granted_scopes": grant?.scopes.map { .array($0.map(JSON.string)) } ?? .null,
        "assertion_file": .string(orNull: workspace.settings.assertionFile),
      ] + workspace.location.document,
      notes: grant == nil ? ["Log in with: \(run: "login")"] : [])
  }
}

extension ContextLocation {
  /// The line about a context at a provider: its name, what chose it, and where its tokens are.
  fileprivate func line(at provider: String, with vault: FileVault, isSaved: Bool) -> String {
    var line = "Context \(context)" + (contextVariable.map { " (from \($0))" } ?? "")
    line += " is at \(provider.escaped)"
    line += isSaved ? "; its session is in \(vault.path.escaped), which only you can read." : "."
    return directories.service == nil ? line : line + " \(Directories.serviceVariable) does not apply to it."
  }
}

extension ContextLocation {
  /// The members about the context and its directory, and the variables that chose them.
  fileprivate var document: JSON { .context(self) + ["sessions_from": .string(orNull: directories.stateVariable)] }
}

extension Workspace {
  /// The members about the context, the directories and the service.
  fileprivate var placesDocument: JSON {
    let variable = directories.service == nil ? directories.dataVariable : Directories.serviceVariable
    return location.document + ["accounts_from": .string(orNull: variable), "server": .server(backend.connection)]
  }

  /// The line about the context and the directories, and the variables that chose them.
  fileprivate var placesLine: String {
    // Put together by hand: the first `joined` of a process takes longer than reading the session
    // file.
    var line = "Context \(context)"
    if let variable = contextVariable { line += " (from \(variable))" }
    if let variable = directories.stateVariable {
      line += ", sessions in \(TextEscaping.escape(directories.state)) (from \(variable))"
    }
    if directories.service != nil {
      if backend.connection == nil {
        line += ", accounts at the service that \(Directories.serviceVariable) names (it was not asked)"
      }
    } else if let variable = directories.dataVariable, directories.data != directories.state {
      line += ", accounts in \(TextEscaping.escape(directories.data)) (from \(variable))"
    }
    line += "."
    if let server = backend.connection {
      line += " Database \(TextEscaping.escape(server.database)) at \(TextEscaping.escape(server.place))"
      line += ", \(server.protection). Only its administrators can manage accounts."
    }
    return line
  }
}
