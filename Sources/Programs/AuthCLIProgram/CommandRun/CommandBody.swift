import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// The function of a command, from the parsed command line to the answer.
///
/// Every command is declared in a file of `Commands/`, next to its function.
struct CommandBody: Sendable {
  let run: @Sendable (ParsedWords, CommandOutput, MakeBackend) async throws(CommandError) -> CommandResult

  /// A command that uses the session at a database, and refuses one at an identity provider.
  ///
  /// `ofAnyContext` is for a command that does not use the session of the context.
  static func inWorkspace(
    ofAnyContext: Bool = false,
    _ run: @escaping @Sendable (ParsedWords, Workspace) async throws(CommandError) -> CommandResult
  ) -> CommandBody {
    CommandBody { (words, output, makeBackend) async throws(CommandError) in
      let location = try ContextLocation(words)
      if !ofAnyContext {
        let issuer = try ContextLogin(of: location)?.provider.issuer
        if let there = issuer ?? location.resource?.text {
          throw CommandError(code: .noPaymentsAtProvider, there.escaped)
        }
      }
      return try await named(run, words, in: try Workspace(location, output, makeBackend))
    }
  }

  /// Runs a command at a database; the hint of its error names the user of the session.
  private static func named(
    _ run: (ParsedWords, Workspace) async throws(CommandError) -> CommandResult, _ words: ParsedWords,
    in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    do throws(CommandError) { return try await run(words, workspace) } catch {
      throw error.naming(workspace.knownUser)
    }
  }

  /// A command that works with a session at a database, and with one at an identity provider.
  ///
  /// It needs a user: in the context of a client that acts for itself, it is refused. `status` is
  /// that of the command if the context of a resource has no login; by default it is an error then.
  static func anywhere(
    use: WorkspaceUse = .acts, withoutLogin status: ExitStatus = .logInFirst,
    atDatabase run: @escaping @Sendable (ParsedWords, Workspace) async throws(CommandError) -> CommandResult,
    atProvider runAtProvider:
      @escaping @Sendable (ParsedWords, ProviderWorkspace) async throws(CommandError) -> CommandResult
  ) -> CommandBody {
    anywhere(use: use, withoutLogin: status, atDatabase: run, atProvider: runAtProvider) {
      (_: ParsedWords, workspace: ClientWorkspace) async throws(CommandError) -> CommandResult in
      throw workspace.settings.noUser(workspace.location.context)
    }
  }

  /// The same for a command that also works with the access of a client, which has no session.
  static func anywhere(
    use: WorkspaceUse = .acts, withoutLogin status: ExitStatus = .logInFirst,
    atDatabase run: @escaping @Sendable (ParsedWords, Workspace) async throws(CommandError) -> CommandResult,
    atProvider runAtProvider:
      @escaping @Sendable (ParsedWords, ProviderWorkspace) async throws(CommandError) -> CommandResult,
    asClient runAsClient: @escaping @Sendable (ParsedWords, ClientWorkspace) async throws(CommandError) -> CommandResult
  ) -> CommandBody {
    CommandBody { (words, output, makeBackend) async throws(CommandError) in
      let location = try ContextLocation(words)
      switch try ContextLogin(of: location) {
      case nil:
        if let resource = location.resource { return try nobody(at: resource, in: location, status) }
        return try await named(run, words, in: try Workspace(location, output, makeBackend, use))
      case .user(let settings):
        return try await atProvider(settings) { () async throws(CommandError) in
          try await runAtProvider(words, ProviderWorkspace(location, output, settings, use))
        }
      case .client(let settings):
        return try await atProvider { () async throws(CommandError) in
          try await runAsClient(words, ClientWorkspace(location, output, settings))
        }
      }
    }
  }

  private static func nobody(
    at resource: ResourceAddress, in location: ContextLocation, _ status: ExitStatus
  ) throws(CommandError) -> CommandResult {
    let error = CommandError(code: .notAtResource, resource.text)
    if status == .logInFirst { throw error }
    return CommandResult(
      .onlyShows, status: status, lines: [error.sentence],
      ["logged_in": false, "resource": .string(resource.text)] + .context(location), notes: [error.hint])
  }

  /// A command that hands out the access token of an identity provider.
  ///
  /// A valid token of the session file is used as it is: only that file is read. `refused` reads
  /// from the command line which token a server has refused, and throws before any request if the
  /// command line lacks something.
  static func withAccessToken(
    insteadOf refused: @escaping @Sendable (ParsedWords) throws(CommandError) -> RefusedToken? = {
      (_) throws(CommandError) in nil
    },
    _ run: @escaping @Sendable (ParsedWords, SavedAccess) async throws(CommandError) -> CommandResult
  ) -> CommandBody {
    CommandBody { (words, output, _) async throws(CommandError) in
      let location = try ContextLocation(words)
      return try await atProvider { () async throws(CommandError) in
        try await run(words, try await SavedAccess(words, in: location, output, insteadOf: try refused(words)))
      }
    }
  }
}

/// The result of a command, as text and as JSON; ``Program`` prints one of the two.
struct CommandResult {
  /// Whether the command changed something.
  ///
  /// Every result needs it, so that no command can forget to report its change when the output
  /// fails.
  enum Effect {
    /// The command only shows something, and can be repeated.
    case onlyShows
    /// The command changed something; this is reported even if the result cannot be printed.
    ///
    /// `what` says as a clause what was changed; `hint` says what to do next.
    case changed(_ what: String, hint: Hint)

    var isChange: Bool { if case .changed = self { true } else { false } }
  }

  let effect: Effect
  /// How the run ends.
  let status: ExitStatus
  /// Text that is printed unchanged, also with `--quiet`: a document, or codes that cannot be shown
  /// again.
  let text: String
  /// The result for people, as escaped lines.
  let lines: [String]
  /// Notes for people on standard error, such as what to do next.
  ///
  /// The document has the same facts for programs.
  let notes: [Hint]
  /// The result for programs: the members after `version`.
  ///
  /// It is created only if it is printed, because that is much of the work of a short run.
  let document: () -> JSON

  init(
    _ effect: Effect, status: ExitStatus = .done, text: String = "", lines: [String] = [],
    _ document: @autoclosure @escaping () -> JSON = [:], notes: [Hint] = []
  ) {
    self.effect = effect
    self.status = status
    self.text = text
    self.lines = lines
    self.notes = notes
    self.document = document
  }

  /// Text that describes the program; in JSON it is the member `name`.
  static func describing(_ name: String, _ text: String) -> CommandResult {
    CommandResult(.onlyShows, text: text, [name: .string(text)])
  }
}

// Users, sessions and payments as JSON.

extension JSON {
  static func integer(orNull number: Int64?) -> JSON { number.map(JSON.integer) ?? .null }

  static func user(_ user: User) -> JSON {
    [
      "id": .string(user.id.rawValue), "username": .string(user.username), "name": .string(user.displayName),
      "role": .string(user.role.rawValue),
    ]
  }

  /// A session with its limits, as moments of the wall clock.
  static func session(_ id: SessionID, _ limits: SessionLimits, _ deadlines: Deadlines) -> JSON {
    [
      "id": .string(id.rawValue),
      "idle_until": .string(orNull: deadlines.moment(limits.idle)?.iso8601),
      "absolute_until": .string(orNull: deadlines.moment(limits.absolute)?.iso8601),
      "fresh_until": .string(orNull: deadlines.moment(limits.fresh)?.iso8601),
    ]
  }

  /// The context of a run, and the variable that chose it.
  static func context(_ location: ContextLocation) -> JSON {
    ["context": .string(location.context.description), "context_from": .string(orNull: location.contextVariable)]
  }

  /// The connection to a service; null for the embedded backend.
  static func server(_ connection: BackendConnection?) -> JSON {
    guard let connection else { return .null }
    return [
      "place": .string(connection.place), "database": .string(connection.database),
      "encryption": .string(orNull: connection.encryption),
    ]
  }

  static func receipt(_ receipt: Receipt) -> JSON {
    [
      "id": .integer(receipt.id), "payer": .string(orNull: receipt.payer), "payee": .string(receipt.payee),
      "amount": .string(receipt.amount.description), "made_at": .string(receipt.madeAt.iso8601),
      "idempotency_key": .string(orNull: receipt.key),
    ]
  }
}
