import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// What a command does with the words of its line, and what it says.
///
/// Every command is declared in a file of `Commands/`, beside the function that runs it.
struct CommandBody: Sendable {
  let run: @Sendable (ParsedWords, Printer, @escaping MakeBackend) async throws(CommandError) -> Answer

  /// A command that uses the session at a database, and refuses one at an identity provider.
  ///
  /// `onlyLooks` is for one that ends no session, whatever it sees; `ofAnyContext` for one that
  /// does not use the session of the context.
  static func inWorkspace(
    onlyLooks: Bool = false, ofAnyContext: Bool = false,
    _ run: @escaping @Sendable (ParsedWords, Workspace) async throws(CommandError) -> Answer
  ) -> CommandBody {
    CommandBody { (words, printer, makeBackend) async throws(CommandError) in
      let place = try ContextPlace(words)
      if !ofAnyContext, let settings = try ProviderSettings(of: place) {
        throw CommandError(code: .noPaymentsAtProvider, settings.issuer.escaped)
      }
      return try await run(words, try Workspace(place, printer, makeBackend, onlyLooks: onlyLooks))
    }
  }

  /// A command that works with a session at a database, and with one at an identity provider.
  ///
  /// `onlyLooks` is for one that ends no session, whatever it sees.
  static func anywhere(
    onlyLooks: Bool = false,
    atDatabase run: @escaping @Sendable (ParsedWords, Workspace) async throws(CommandError) -> Answer,
    atProvider runAtProvider: @escaping @Sendable (ParsedWords, ProviderWorkspace) async throws(CommandError) -> Answer
  ) -> CommandBody {
    CommandBody { (words, printer, makeBackend) async throws(CommandError) in
      let place = try ContextPlace(words)
      guard let settings = try ProviderSettings(of: place) else {
        return try await run(words, try Workspace(place, printer, makeBackend, onlyLooks: onlyLooks))
      }
      return try await atProvider { () async throws(CommandError) in
        try await runAtProvider(words, ProviderWorkspace(place, printer, settings))
      }
    }
  }

  /// A command that hands out the access token of an identity provider.
  ///
  /// A valid token of the session file is used as it is: only that file is read.
  static func withAccessToken(
    _ run: @escaping @Sendable (ParsedWords, SavedAccess) async throws(CommandError) -> Answer
  ) -> CommandBody {
    CommandBody { (words, printer, _) async throws(CommandError) in
      let place = try ContextPlace(words)
      return try await atProvider { () async throws(CommandError) in
        try await run(words, try await SavedAccess(words, in: place, printer))
      }
    }
  }
}

/// What a command has to say, in both forms; ``Program`` prints the one that was asked for.
struct Answer {
  /// What the command did, apart from what it says.
  ///
  /// No answer is made without it, so that no command can forget to say of a change that it was
  /// made.
  enum Effect {
    /// The command only shows something; run again, it shows it again.
    case onlyShows
    /// The command changed something, which stays true when its result cannot be printed.
    ///
    /// `what` is a clause; `hint` says what to make of it.
    case changed(_ what: String, hint: Hint)

    var isChange: Bool { if case .changed = self { true } else { false } }
  }

  let effect: Effect
  /// How the run ends.
  let status: ExitStatus
  /// What people get also with `--quiet`, as it is: text that was asked for, or codes that nobody
  /// can see again.
  let text: String
  /// The result for people, a line each, escaped.
  let lines: [String]
  /// What people may want to know or do next, for standard error.
  ///
  /// Programs find the same in the document, if it concerns them.
  let notes: [Hint]
  /// The result for programs: the members after `version`.
  ///
  /// It is made only if it is printed: for a short run it would be much of the work.
  let document: () -> KeyValuePairs<String, JSON>

  init(
    _ effect: Effect, status: ExitStatus = .done, text: String = "", lines: [String] = [],
    _ document: @autoclosure @escaping () -> KeyValuePairs<String, JSON> = [:], notes: [Hint] = []
  ) {
    self.effect = effect
    self.status = status
    self.text = text
    self.lines = lines
    self.notes = notes
    self.document = document
  }

  /// Text that describes the program; in JSON it is the member `name`.
  static func describing(_ name: String, _ text: String) -> Answer {
    Answer(.onlyShows, text: text, [name: .string(text)])
  }
}

/// What comes of `body`, to be looked at later.
func outcome<Value, Failure: Error>(
  of body: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
  do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
}

// How the values of the domain look in JSON documents.

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
