import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit

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
