import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages

/// What a command works with: the backend, the kept session of this context, and the store over
/// both.
final class Workspace: CommandPlace {
  let globals: GlobalOptions
  let printer: Printer
  let places: Places
  let context: ContextName
  let backend: any Backend
  let vault: FileVault
  private(set) lazy var store = SessionStore(
    authority: authority, vault: forgetsDisabled ? vault : DisabledSessionVault(base: vault, authority: authority),
    clock: backend.clock, timing: SessionTiming(watchesLimits: false), worksOn: .callingThread)
  /// Whether the session file of a disabled account is erased: by a login and a logout only.
  var forgetsDisabled = false
  let authority: CommandAuthority
  private var restored: RestoreOutcome?
  /// It is never let go: the process ends with its command, and taking all of this apart first is a
  /// tenth of a short run.
  ///
  /// Nothing waits for that. What must last was made durable when it was written.
  private var itself: Workspace?

  /// Nothing is read or made yet.
  ///
  /// `onlyLooks` is for a command that ends no session, whatever it sees.
  init(_ run: Run, onlyLooks: Bool) throws(CommandError) {
    globals = run.globals
    printer = run.printer
    places = try Places()
    context = globals.context ?? .standard
    do throws(BackendError) {
      backend = try run.makeBackend(places, context.description)
    } catch {
      throw CommandError(error)
    }
    authority = CommandAuthority(base: backend, onlyLooks: onlyLooks)
    vault = FileVault(directory: places.state, context: context, issuer: backend.issuer)
    itself = self
  }

  // MARK: - Who is logged in

  /// Finds out about the kept session, once in a run however many parts of it ask.
  func restore() async -> RestoreOutcome {
    if let restored { return restored }
    restored = .overtaken  // For whoever asks before the answer is there.
    let outcome = await store.restore()
    restored = outcome
    return outcome
  }

  /// Who is logged in.
  enum Presence {
    case user(LoggedInSession)
    case nobody(LogoutReason)
  }

  /// The user who is logged in, or why nobody is; throws an error if that is unknown.
  ///
  /// Asking is not activity.
  func presence() async throws(CommandError) -> Presence {
    switch await restore() {
    case .loggedIn(let session): return .user(session)
    case .loggedOut(let reason): return .nobody(reason)
    case .obstructed(let obstacle): throw CommandError(obstacle)
    case .overtaken, .cancelled: throw CommandError(SessionError.overtaken)
    }
  }

  /// The key of whoever is logged in; asking is not activity.
  func session() async throws(CommandError) -> LoggedInSession {
    switch try await presence() {
    case .user(let session): return session
    case .nobody(.neverLoggedIn): throw CommandError(code: .notLoggedIn)
    case .nobody(.ended(let reason)): throw .ended(reason)
    }
  }

  /// The key of whoever is logged in, for a screen of theirs: that is activity, and moves the idle
  /// limit.
  func activeSession() async throws(CommandError) -> LoggedInSession {
    _ = try await session()
    return try await explainedAsync { () throws(SessionError) in try await store.renew() }
  }

  // MARK: - Stronger keys

  /// A key that proves a recent password: asks for it on the terminal where it is too old.
  func fresh(_ session: LoggedInSession) async throws(CommandError) -> FreshSession {
    do throws(FreshnessError) {
      return try FreshSession(session)
    } catch {
      guard error == .passwordNotRecent else { throw CommandError(error) }
    }
    let recent = backend.policy.fresh.words
    let renewed = try await PasswordQuestion.onTerminal(
      for: session.user.username, because: "This needs a password that you entered within the last \(recent).",
      insteadOf: CommandError(code: .passwordNotRecent), in: store,
      check: { (password) throws(SessionError) in try await store.confirm(password) }
    ).session
    return try explained { () throws(FreshnessError) in try FreshSession(renewed) }
  }

  /// The stronger key of an administrator.
  func administrator(_ session: LoggedInSession) throws(CommandError) -> AdminSession {
    try explained { () throws(RoleError) in try AdminSession(session) }
  }

  /// Looks again after the session was ended at the authority, so that this device forgets it too.
  func forgetRevoked() async {
    // Ended is the expected answer; anything else is found out by the next command.
    do throws(SessionError) { try await store.check() } catch {}
  }
}

extension SessionStore {
  /// Checks the password of whoever is logged in again.
  ///
  /// When another process exchanges the session's token at the same moment, one of the two
  /// exchanges is void. The password was right, so that is no answer to who typed it: it is tried
  /// again on what the other process left.
  func confirm(
    _ password: Secret, limits: LimitRequest = .standard
  ) async throws(SessionError) -> LoginResult {
    let user = session?.user.id
    for _ in 1..<8 {
      do throws(SessionError) {
        return try await reauthenticate(password: password, limits: limits)
      } catch {
        guard error == .overtaken else { throw error }
      }
      // The password belongs to one user, and the other process may have put another in place.
      guard try await check().user.id == user else { throw .overtaken }
    }
    return try await reauthenticate(password: password, limits: limits)
  }
}
