import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// A backend, embedded or of a service, and the session of the context there.
final class Workspace: ContextWorkspace {
  let backend: CommandBackend
  /// Whether a shell asks, for its prompt or for completions.
  let isForShell: Bool

  /// Creates a workspace, and reads and writes no file.
  init(
    _ location: ContextLocation, _ output: CommandOutput, _ makeBackend: MakeBackend, _ use: WorkspaceUse = .acts
  ) throws(CommandError) {
    let base = try explained { () throws(BackendError) in
      try makeBackend(location.directories, location.context.description)
    }
    let use = makeBackend.isForShell ? .readsOnly : use
    let backend = CommandBackend(base, use, isForShell: makeBackend.isForShell)
    self.backend = backend
    isForShell = makeBackend.isForShell
    let vault = location.vault(for: backend.issuer, mayErase: backend.endings.mayErase)
    super.init(location, output, vault: vault, use, authority: backend, clock: backend.clock)
  }

  /// Names the variable to set and the file, if the session is of another database, and a backup if
  /// the database of the session is gone.
  override func explain(_ obstacle: RestoreFailure) -> CommandError {
    let error = super.explain(obstacle)
    let variable =
      directories.service == nil ? directories.dataVariable ?? "XDG_DATA_HOME" : Directories.serviceVariable
    if error.code == BackendError.FailureCode.databaseMissing.rawValue {
      return error.withHint("\(error.hint). Or put a backup in its place, or set \(variable) as it was at login.")
    }
    guard error.code == BackendError.FailureCode.sessionOfOtherDatabase.rawValue else { return error }
    let other = "Set \(variable) as it was at login, or use another --context."
    return error.withHint(
      "\(other) If that database no longer exists, delete \(vault.path.escaped). Nothing was sent or changed.")
  }

  override var hasNoAccounts: Bool {
    // Only a file is looked for: a hint must not wait for a service or a lock.
    guard directories.service == nil else { return false }
    do throws(FileError) {
      return try PrivateDirectory(named: directories.data).opened()?.facts(of: DatabaseFileName.file) == nil
    } catch {
      return false  // Unknown; the next command explains it.
    }
  }

  /// How to begin a session.
  var loginHint: Hint {
    hasNoAccounts
      ? "Register the first account: \(run: "register", "USER"). Or log in at an identity provider: \(run: "login", "--provider", "ISSUER", "--client-id", "ID")"
      : "Log in with: \(run: "login", "USER")"
  }

  /// The session of the user who is logged in, for a screen: this is activity and moves the idle
  /// limit.
  func activeSession() async throws(CommandError) -> LoggedInSession {
    _ = try await session()
    return try await explainedAsync { () throws(SessionError) in try await store.renew() }
  }

  /// Opens a screen of the user who is logged in; throws without a session.
  func open<Screen: GuardedScreen & Sendable>(
    _: Screen.Type, isActivity: Bool = true
  ) async throws(CommandError) -> Screen {
    _ = isActivity ? try await activeSession() : try await session()
    guard let screen = store.open(Screen.self) else { throw CommandError(code: .notLoggedIn) }
    return screen
  }

  /// The balance; nil if it is unknown now, which the next command explains.
  func readBalance(_ session: LoggedInSession) async -> String? {
    try? await store.ask(session) { (lease) throws(BackendError) in
      Amount.text(try backend.profile(under: lease).balance)
    }
  }

  /// Whether the user must set up a second step before anything else.
  ///
  /// False if it is unknown now, which the next command explains.
  func needsTwoStep(_ session: LoggedInSession) async -> Bool {
    guard session.user.role == .administrator else { return false }
    let state = try? await store.ask(session) { (lease) throws(BackendError) in try backend.twoStep(under: lease) }
    return state.map { $0.isRequired && !$0.isOn } ?? false
  }
}
