import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// The context that a run uses, and the directories of its files.
struct ContextLocation {
  let directories: Directories
  private(set) var context: ContextName
  /// The environment variable that chose the context, to be shown; it applies to this run only.
  let contextVariable: String?
  /// The resource whose login the command uses; nil if it named none.
  private(set) var resource: ResourceAddress?

  /// Chooses the context: the one that is named, that of the resource, or the default one.
  ///
  /// - Parameters:
  ///   - words: The command line.
  ///   - resource: The resource of a command that takes one as its argument.
  /// - Throws: ``CommandError`` if the directories cannot be used.
  init(_ words: ParsedWords, resource: ResourceAddress? = nil) throws(CommandError) {
    directories = try Directories()
    let resource = resource ?? words[Options.resource]
    self.resource = resource
    let named = words[Options.context]
    // A variable means all other commands of the shell.
    if let resource, named == nil || words.origin(of: Options.context) != .commandLine {
      (context, contextVariable) = (ContextName(of: resource), nil)
    } else {
      context = named ?? .standard
      contextVariable = words.origin(of: Options.context).variable
    }
  }

  /// Whether the command line names a context beside a resource, so that it may be another one.
  var mayBeOfOtherResource: Bool { resource.map { context != ContextName(of: $0) } ?? false }

  /// Another context in the same directories.
  func named(_ name: ContextName) -> ContextLocation {
    var other = self
    (other.context, other.resource) = (name, nil)
    return other
  }

  /// The session file of the context.
  func vault(
    for issuer: TokenIssuer, mayErase: @escaping @Sendable (SessionToken) -> Bool = { _ in true }
  ) -> FileVault {
    FileVault(directory: directories.state, context: context, issuer: issuer, mayErase: mayErase) { [context] found in
      Self.words(for: found, in: context, insteadOf: issuer)
    }
  }

  /// What a session file with the token of another issuer holds, and what to do about it.
  private static func words(
    for found: TokenIssuer, in context: ContextName, insteadOf issuer: TokenIssuer
  ) -> (problem: String, hint: String) {
    let isAtProvider = found.isProvider
    if isAtProvider, !issuer.isProvider {
      return (
        "holds a session at an identity provider.",
        "The file beside it that describes the provider is missing. Log in there again with --provider, or delete the file."
      )
    }
    if issuer.isProvider, isAtProvider, issuer.isClientItself != found.isClientItself {
      return (
        found.isClientItself ? "holds the access of a client, and no user's session." : "holds the session of a user.",
        "Use another --context, or log out first: auth-cli logout --context \(context)"
      )
    }
    if issuer.isProvider {
      return (
        "holds a session \(isAtProvider ? "at another identity provider, or with another client id" : "of a database").",
        "Use another --context, or log out first: auth-cli logout --context \(context)"
      )
    }
    if issuer == .embedded {
      return (
        "holds a session of another database, and AUTH_CLI_AUTHORITY is not set.",
        "Set AUTH_CLI_AUTHORITY to the address at which you logged in, or use another --context. If that "
          + "service no longer exists, delete the file. Nothing was changed."
      )
    }
    return (
      "holds a session of the database on this machine, and AUTH_CLI_AUTHORITY names another one.",
      "Use another --context, or log out: env -u AUTH_CLI_AUTHORITY auth-cli logout --context \(context)"
    )
  }
}

extension ContextName {
  /// The context of a resource: the start of its host, and a part of the hash of its address.
  init(of resource: ResourceAddress) {
    let host = resource.host.filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }.drop { $0 == "-" }
    let hash = Hex.text(SHA256.hash(Array(resource.text.utf8))).prefix(16)
    self = ContextName("\(host.prefix(40))\(host.isEmpty ? "" : "-")\(hash)") ?? .standard
  }
}

/// What a command does with the session of its context.
enum WorkspaceUse {
  /// It changes neither the session file nor the database, such as `status`.
  case readsOnly
  /// The same until its user asks it to log in or out, such as `app`.
  case readsUntilAsked
  /// It uses the session, which may end with that, as a reader of its data does.
  case acts
}

/// The session file for a command that only reads: it is never erased.
///
/// The store erases the token of a session that it finds ended, but the state of a session file is
/// for the commands that use it.
private struct KeptVault: SessionVault {
  private let file: FileVault

  init(_ file: FileVault) { self.file = file }

  func load() async -> VaultReading { await file.load() }

  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    try await file.store(token, details)
  }

  func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool { try await file.replace(old, with: new, details) }

  func erase(_: SessionToken) async {}

  func setAside() async -> String? { nil }

  func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult {
    try await file.lockExchange(of: token, wait: wait)
  }

  /// Leaves an exchange that its process did not end to a command that uses the session.
  func isInterrupted(_: SessionToken) async -> Bool { false }
}

/// What every command with a session uses, at a database or at an identity provider: the session
/// file and the store that manages it.
///
/// ``Workspace`` adds the database, ``ProviderWorkspace`` the identity provider. A command that
/// needs one of them takes that type, so it cannot run with a session of the other kind.
class ContextWorkspace {
  let output: CommandOutput
  let location: ContextLocation
  let vault: FileVault
  let clock: any SessionClock
  let store: SessionStore
  private var restored: RestoreOutcome?
  /// A reference of the object to itself, so that it is never released: the process ends with its
  /// command, and releasing everything first takes a twenty-fifth of a short run.
  ///
  /// Nothing depends on the release: what must last was synced when it was written.
  private var deliberateLeak: ContextWorkspace?

  var directories: Directories { location.directories }
  var context: ContextName { location.context }
  var contextVariable: String? { location.contextVariable }

  /// Creates a workspace, and reads and writes no file.
  init(
    _ location: ContextLocation, _ output: CommandOutput, vault: FileVault, _ use: WorkspaceUse,
    authority: any Authority,
    clock: any SessionClock
  ) {
    (self.output, self.location, self.vault, self.clock) = (output, location, vault, clock)
    store = SessionStore(
      authority: authority, vault: use == .readsOnly ? KeptVault(vault) : vault, clock: clock,
      timing: SessionTiming(watchesLimits: false),
      executor: .callingThread)
    deliberateLeak = self
  }

  // MARK: - Who is logged in

  /// Restores the saved session, and returns the first result to every later call; `again` restores
  /// it once more.
  func restore(again: Bool = false) async -> RestoreOutcome {
    if let restored, !again { return restored }
    restored = .overtaken  // For calls before the result is known.
    let outcome = await store.restore()
    restored = outcome
    return outcome
  }

  /// The session of the user who is logged in; nil if nobody is logged in.
  ///
  /// It throws if that cannot be found out. It does not count as activity.
  func presence() async throws(CommandError) -> LoggedInSession? {
    switch await restore() {
    case .loggedIn(let session): return session
    case .loggedOut: return nil
    case .obstructed(let obstacle): throw explain(obstacle)
    case .overtaken, .cancelled, .timedOut: throw CommandError(SessionError.overtaken)
    }
  }

  /// Why the session could not be restored.
  func explain(_ obstacle: RestoreFailure) -> CommandError { CommandError(obstacle) }

  /// The session of the user who is logged in before a login.
  ///
  /// An unusable session file does not prevent a login; an authority that does not answer does.
  func presenceBeforeLogin() async throws(CommandError) -> LoggedInSession? {
    switch await restore() {
    case .obstructed(.vault), .obstructed(.corrupt): return nil
    case .loggedIn, .loggedOut, .obstructed(.authority), .overtaken, .cancelled, .timedOut:
      return try await presence()
    }
  }

  /// The session of the user who is logged in; throws if nobody is.
  ///
  /// It does not count as activity.
  func session() async throws(CommandError) -> LoggedInSession {
    if let session = try await presence() { return session }
    if let resource = location.resource, store.endReason == nil {
      throw CommandError(code: .notAtResource, resource.text)
    }
    throw store.endReason.map { .ended($0) } ?? CommandError(code: hasNoAccounts ? .noAccounts : .notLoggedIn)
  }

  /// The user of the session that was found, also after its end; nil if none was found.
  var knownUser: String? { store.session?.user.username ?? vault.lastReadUser?.username }

  /// Whether nobody can log in, because there is no database file.
  var hasNoAccounts: Bool { false }
}
