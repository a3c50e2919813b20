import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `contexts`.
enum ContextsCommand {
  static let command = Command<CommandBody>(
    "contexts", summary: "List the contexts of this device",
    discussion: [
      "A context is one of several logins on this device; choose it with --context. This shows the user of each "
        + "context. It is not activity, and changes nothing. 'contexts forget' takes a name or the address of a resource."
    ],
    options: [Options.short, users],
    examples: [
      "contexts": "shows each context and its user",
      "contexts --json": "prints the same as JSON",
    ],
    statuses: .of(.done, .usage, .cannotTell), subcommands: [ForgetContextCommand.command]
  ) { _ in .inWorkspace(ofAnyContext: true, run) }

  private static let users = Option.flag("users", "Print the names of their users alone, one on a line")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    if words[Options.short], !workspace.output.asJSON {
      return workspace.names(try names(at: workspace.location).map(\.description))
    }
    let found = try contents(at: workspace.location, workspace.backend)
    if words[users], !workspace.output.asJSON {
      let users = found.compactMap { if case .user(let grant) = $0.content { grant.user.username } else { nil } }
      return workspace.names(Set(users).sorted())
    }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    var rows: [[String]] = []
    var documents: [JSON] = []
    var notes: [Hint] = []
    for (name, content) in found {
      let isCurrent = name == workspace.context
      var cells = [name.description, "", "", isCurrent ? "this one" : ""]
      var (user, session, isLoggedIn) = (JSON.null, JSON.null, JSON.null)
      var provider: ContextLogin?
      switch content {
      case .user(let grant):
        (cells[1], cells[2]) = (grant.user.username, deadlines.remaining(grant.limits))
        (user, session) = (.user(grant.user), .session(grant.id, grant.limits, deadlines))
        isLoggedIn = true
      case .ended: (cells[2], isLoggedIn) = ("over", false)
      case .elsewhere: cells[3] = "at another database"
      case .atProvider(let login, let saved):
        let name = saved?.user?.username
        (provider, cells[1], isLoggedIn) = (login, name ?? "", .bool(saved != nil))
        cells[3] = [cells[3], saved == nil ? "logged out" : "", login.isOfClient ? login.place : "at \(login.place)"]
          .filter { !$0.isEmpty }.joined(
            separator: ", ")
        user = name.map { ["username": .string($0)] } ?? .null
      case .unusable(let problem):
        (cells[1], cells[3]) = ("?", [cells[3], "unusable file"].filter { !$0.isEmpty }.joined(separator: ", "))
        notes.append(Hint(problem))
      }
      rows.append(cells)
      let document: JSON = [
        "context": .string(name.description), "current": .bool(isCurrent), "logged_in": isLoggedIn, "user": user,
        "session": session,
      ]
      documents.append(document + (provider.map { ["provider": .provider($0)] } ?? [:]))
    }
    let table = Table(["CONTEXT", "USER", .right("ENDS IN"), "NOTES"], rows: rows)
    return CommandResult(
      .onlyShows, status: notes.isEmpty ? .done : .cannotTell,
      lines: found.isEmpty ? ["No contexts."] : workspace.lines(table), ["contexts": .array(documents)], notes: notes)
  }

  /// The state of a context.
  enum Content {
    case user(Grant)
    /// A session that has ended.
    case ended
    /// A login at an identity provider; without details if nobody is logged in there.
    case atProvider(ContextLogin, TokenDetails?)
    /// A session at another database; this database is not asked about it.
    case elsewhere
    /// A file that cannot be used, and why.
    case unusable(String)
  }

  private static func names(at location: ContextLocation) throws(CommandError) -> [ContextName] {
    try explained { () throws(VaultError) in try FileVault.contexts(in: location.directories.state) }
  }

  /// The states of all contexts that have one.
  static func contents(
    at location: ContextLocation, _ backend: (any Backend)?
  ) throws(CommandError) -> [(name: ContextName, content: Content)] {
    var found: [(name: ContextName, content: Content)] = []
    for name in try names(at: location) {
      if let content = try content(of: name, at: location, backend) { found.append((name, content)) }
    }
    return found
  }

  /// The state of a context; without a database, each session at one is elsewhere.
  private static func content(
    of name: ContextName, at location: ContextLocation, _ backend: (any Backend)?
  ) throws(CommandError) -> Content? {
    let location = location.named(name)
    let login: ContextLogin?
    do throws(CommandError) { login = try ContextLogin(of: location) } catch { return .unusable(error.sentence) }
    if let login {
      switch location.vault(for: login.tokenIssuer).read() {
      case .absent: return .atProvider(login, nil)
      case .token(_, let details): return .atProvider(login, details)
      case .corrupt(let evidence): return .unusable(evidence.description)
      case .unavailable(let failure): return .unusable(failure.description)
      }
    }
    guard let backend else { return .elsewhere }
    switch location.vault(for: backend.issuer).read() {
    case .absent: return nil
    case .token(let token, _):
      do throws(BackendError) {
        return .user(try backend.inspect(token))
      } catch {
        if case .session = error.kind { return .ended }
        guard error.code == BackendError.FailureCode.sessionOfOtherDatabase.rawValue else { throw CommandError(error) }
        return .elsewhere
      }
    case .corrupt(let evidence): return .unusable(evidence.description)
    case .unavailable(let failure):
      // A session of another database is not a fault of the file.
      let other: TokenIssuer = backend.issuer == .embedded ? .server : .embedded
      guard case .token = location.vault(for: other).read() else { return .unusable(failure.description) }
      return .elsewhere
    }
  }
}

/// `contexts forget NAME`.
enum ForgetContextCommand {
  static let command = Command<CommandBody>(
    "forget", summary: "Forget the identity provider of a context",
    discussion: [
      "Deletes what a login at an identity provider left in the context: the address, the client id and its secret. "
        + "Log out first. The context can then be used for a database."
    ],
    arguments: [name],
    examples: [
      "contexts forget work": "forgets the provider of the context 'work'",
      "contexts forget https://mcp.example.com/mcp": "forgets the login for that resource",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { _ in CommandBody { (words, _, _) throws(CommandError) in try forget(words) } }

  private static let name = Argument.required(
    "NAME", Kinds.contextOrResource, "The context, or the address of the resource that it is for")

  private static func forget(_ words: ParsedWords) throws(CommandError) -> CommandResult {
    let name = words[name]
    let vault = try ContextLocation(words).named(name).vault(for: .anyProvider)
    let isKnown = try explained { () throws(VaultError) in try vault.providerSettings() } != nil
    if case .token = vault.read() { throw CommandError(code: .contextInUse, name.description, name.description) }
    guard isKnown else {
      return CommandResult(
        .onlyShows, lines: ["Context \(name) remembers no provider."],
        ["context": .string(name.description), "forgotten": false])
    }
    try explained { () throws(VaultError) in try vault.saveProviderSettings(nil) }
    return CommandResult(
      .changed("the provider of context \(name) is forgotten", hint: "Check with: \(run: "contexts")"),
      lines: ["Forgot the provider of context \(name)."], ["context": .string(name.description), "forgotten": true])
  }
}
