import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit

/// Which context a run uses, and where it is kept.
struct ContextPlace {
  let places: Places
  private(set) var context: ContextName
  /// The environment variable that chose the context, to be shown: it holds for this run and is
  /// never written.
  let contextVariable: String?

  init(_ words: ParsedWords) throws(CommandError) {
    places = try Places()
    context = words[Options.context] ?? .standard
    contextVariable = words.origin(of: Options.context).variable
  }

  /// Another context at the same place.
  func named(_ name: ContextName) -> ContextPlace {
    var other = self
    other.context = name
    return other
  }

  /// The session file of the context.
  func vault(for issuer: TokenIssuer) -> FileVault {
    FileVault(directory: places.state, context: context, issuer: issuer) { [context] found in
      Self.words(for: found, in: context, insteadOf: issuer)
    }
  }

  /// What a session file with the token of another issuer holds, and what to do about it.
  private static func words(
    for found: TokenIssuer?, in context: ContextName, insteadOf issuer: TokenIssuer
  ) -> (problem: String, hint: String) {
    let isAtProvider = found?.isProvider == true
    if isAtProvider, !issuer.isProvider {
      return (
        "holds a session at an identity provider.",
        "The file beside it that describes the provider is missing. Log in there again with --provider, or delete the file."
      )
    }
    if issuer.isProvider {
      return (
        "holds a session \(isAtProvider ? "at another identity provider" : "of a database").",
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

/// What a command works with wherever its context is logged in: the session file, and the store
/// over it.
///
/// ``Workspace`` adds the database, ``ProviderWorkspace`` the identity provider. A command that
/// needs one of them takes that type, so it cannot run with a session of the other kind.
class ContextWorkspace {
  let printer: Printer
  let place: ContextPlace
  let vault: FileVault
  let clock: any SessionClock
  let store: SessionStore
  private var restored: RestoreOutcome?
  /// It is never let go: the process ends with its command, and taking all of this apart first is a
  /// tenth of a short run.
  ///
  /// Nothing waits for that. What must last was made durable when it was written.
  private var itself: ContextWorkspace?

  var places: Places { place.places }
  var context: ContextName { place.context }
  var contextVariable: String? { place.contextVariable }

  /// Nothing is read or made yet.
  init(
    _ place: ContextPlace, _ printer: Printer, vault: FileVault, authority: any Authority,
    stored storeVault: any SessionVault, clock: any SessionClock
  ) {
    (self.printer, self.place, self.vault, self.clock) = (printer, place, vault, clock)
    store = SessionStore(
      authority: authority, vault: storeVault, clock: clock, timing: SessionTiming(watchesLimits: false),
      worksOn: .callingThread)
    itself = self
  }

  // MARK: - Who is logged in

  /// Finds out about the kept session, once in a run however many parts of it ask; `again` asks the
  /// authority another time.
  func restore(again: Bool = false) async -> RestoreOutcome {
    if let restored, !again { return restored }
    restored = .overtaken  // For whoever asks before the answer is there.
    let outcome = await store.restore()
    restored = outcome
    return outcome
  }

  /// The key of whoever is logged in; nil if nobody is, which is an answer and no failure to find
  /// out.
  ///
  /// Asking is not activity.
  func presence() async throws(CommandError) -> LoggedInSession? {
    switch await restore() {
    case .loggedIn(let session): return session
    case .loggedOut: return nil
    case .obstructed(let obstacle): throw CommandError(obstacle)
    case .overtaken, .cancelled: throw CommandError(SessionError.overtaken)
    }
  }

  /// The key of whoever is logged in before a login.
  ///
  /// An unusable session file is no obstacle to a login; an authority that cannot be asked is.
  func presenceBeforeLogin() async throws(CommandError) -> LoggedInSession? {
    switch await restore() {
    case .obstructed(.vault), .obstructed(.corrupt): return nil
    case .loggedIn, .loggedOut, .obstructed(.authority), .overtaken, .cancelled: return try await presence()
    }
  }

  /// The key of whoever is logged in; asking is not activity.
  func session() async throws(CommandError) -> LoggedInSession {
    if let session = try await presence() { return session }
    throw store.endReason.map { .ended($0) } ?? CommandError(code: .notLoggedIn)
  }
}
