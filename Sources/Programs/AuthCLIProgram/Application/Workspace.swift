import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthScreens
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
    let vault = location.vault(for: backend.issuer, mayErase: backend.mayErase)
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

  // MARK: - Stronger keys

  /// A key that proves a recent password; prompts for the password if it is too old.
  func makeFresh(_ session: LoggedInSession) async throws(CommandError) -> FreshSession {
    do throws(FreshnessError) {
      return try FreshSession(session)
    } catch {
      guard error == .passwordNotRecent else { throw CommandError(error) }
    }
    guard Prompt.hasTerminal else { throw CommandError(code: .passwordNotRecent) }
    let recent = backend.policy.fresh.words
    let renewed = try await askForPassword(
      of: session.user.username, because: "This needs a password that you entered within the last \(recent)."
    ) { (password) throws(SessionError) in try await store.verifyPassword(of: session, password) }.session
    return try explained { () throws(FreshnessError) in try FreshSession(renewed) }
  }

  /// Checks the session after it was ended in the database, so that this device forgets it too.
  func forgetRevoked() async {
    // The session has ended, as expected; the next command reports anything else.
    do throws(SessionError) { try await store.check() } catch {}
  }
}

extension SessionStore {
  /// Why nobody is logged in; nil if a user is, or if none was.
  var endReason: EndReason? { if case .loggedOut(.ended(let reason)) = state { reason } else { nil } }

  /// Checks the password of the user of a session.
  ///
  /// When another process exchanges the session's token at the same moment, one of the two
  /// exchanges fails. The password was right, so it is retried with the token of the other process.
  func verifyPassword(
    of session: LoggedInSession, _ password: Secret, limits: LimitRequest = .standard
  ) async throws(SessionError) -> LoginResult {
    var session = session
    for _ in 1..<8 {
      do throws(SessionError) {
        return try await reauthenticate(session, password: password, limits: limits)
      } catch {
        guard error == .overtaken else { throw error }
      }
      // The password belongs to one user, and the other process may have logged in another user.
      let present = try await check()
      guard present.user.id == session.user.id else { throw .overtaken }
      session = present
    }
    return try await reauthenticate(session, password: password, limits: limits)
  }
}

// Commands and the full-screen program use the session at the authority only through these
// functions, and a failed lease becomes an error only here.

extension SessionStore {
  /// Runs `body`, which sends a request to the authority under a lease of the session.
  ///
  /// Another process may exchange the session's token at any moment, also between two requests of
  /// one command. Then the authority refuses the old token and changes nothing. The new token is in
  /// the session file by then, so this reads the file again and repeats the request. Each
  /// repetition means that another process has finished its exchange.
  private func asking<Value>(
    _ body: () async throws(LeaseError<BackendError>) -> Value
  ) async throws(CommandError) -> Value {
    while true {
      do throws(LeaseError<BackendError>) {
        return try await body()
      } catch {
        guard case .body(let failure) = error, failure.kind == .session(.superseded) else { throw CommandError(error) }
        try await explainedAsync { () throws(SessionError) in try await check() }
      }
    }
  }

  /// Sends a request to the authority under a lease of `session`.
  func ask<Value>(
    _ session: LoggedInSession, _ body: (borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    try await asking { () throws(LeaseError<BackendError>) in try session.withLease(body) }
  }

  /// Loads a page; a search that stopped is continued until the page is full.
  ///
  /// Each part has a separate lease, so a logout waits for at most one part.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - session: The session whose page it is.
  ///   - report: Gets the place of each stop.
  ///   - load: Loads a part.
  /// - Returns: The page.
  /// - Throws: ``CommandError`` when a part cannot be loaded.
  func search<Item>(
    _ page: Page, of session: LoggedInSession, reporting report: (SearchStop) -> Void = { _ in },
    _ load: (Page, borrowing SessionLease) throws(BackendError) -> LoadedPage<Item>
  ) async throws(CommandError) -> LoadedPage<Item> {
    var loaded = try await ask(session) { (lease) throws(BackendError) in try load(page, lease) }
    while let stop = loaded.stop {
      report(stop)
      var rest = page
      (rest.before, rest.limit) = (stop.before, page.limit - loaded.items.count)
      loaded.append(try await ask(session) { [rest] (lease) throws(BackendError) in try load(rest, lease) })
    }
    return loaded
  }

  /// Checks the session file and the database again, and updates the store.
  ///
  /// It calls `noteFile` with whether the session file is gone while the session is still active:
  /// before the session ends here, and again after it ended, because the file may be moved away in
  /// between. After a logout the session is not active, because a logout ends it first.
  ///
  /// - Returns: The reason, if the session could not be checked.
  func checkAgain(
    without vault: FileVault, at backend: CommandBackend, noteFile: (_ isGone: Bool) -> Void
  ) async -> CommandError? {
    guard let session else { return await checkOrRestore() }
    let token: SessionToken
    func isFileGone() throws(BackendError) -> Bool {
      guard case .absent = vault.read() else { return false }
      return try backend.rejection(of: token) == nil
    }
    do throws(CommandError) {
      token = try await ask(session) { (lease) throws(BackendError) in lease.sessionToken }
      noteFile(try explained(isFileGone))
    } catch {
      return self.session == nil ? nil : error
    }
    defer { if self.session == nil, let isGone = try? isFileGone() { noteFile(isGone) } }
    // To the check, a missing file means a logout. But another process may have deleted it because
    // the session expired, for example while the machine slept.
    if case .absent = vault.read() { enforceLimits() }
    return await checkAgain()
  }

  /// Checks the session again, and returns the reason if it could not be checked.
  func checkAgain() async -> CommandError? {
    do throws(SessionError) {
      try await check()
      return nil
    } catch {
      switch error {
      case .ended, .rejected, .overtaken: return nil
      case .credentialsNotAccepted, .loginRefused, .throttled, .unavailable, .notSaved, .vault, .corrupt, .clock,
        .insideLease, .cancelled, .timedOut:
        return CommandError(error)
      }
    }
  }

  /// Changes the password, and continues the session with its new token.
  ///
  /// If something fails after the change, the error says that the password is changed, and whether
  /// the session is still active.
  func changePassword(
    from present: Secret, to new: Secret, _ fresh: FreshSession, at backend: any Backend
  ) async throws(CommandError) {
    let user = fresh.session.user
    let grant = try await ask(fresh.session) { (lease) throws(BackendError) in
      try backend.changePassword(from: present, to: new, for: fresh, under: lease)
    }
    do throws(SessionError) {
      try await adopt(grant)
      // The confirmation of the new token may have found that another process ended the session.
      if let endReason { throw .ended(endReason) }
    } catch {
      let isActive = session?.user.id == user.id
      // Another process exchanged the token first, and the session continues with that one.
      if isActive, error == .overtaken { return }
      throw CommandError(
        code: isActive ? .passwordChangedSessionKept : .passwordChangedSessionEnded, user.username.escaped,
        CommandError(error).message, user.username)
    }
  }

  /// Makes a payment, once and in full, or not at all.
  ///
  /// Not inlined: commands and the full-screen program have one copy of it.
  @inline(never)
  func pay(
    _ order: PaymentOrder, _ fresh: FreshSession, on screen: PaymentScreen, at backend: any Backend
  ) async throws(CommandError) -> Receipt {
    try await asking { () async throws(LeaseError<BackendError>) in
      try await screen.submit(backend.prepare(order, for: fresh))
    }
  }
}

extension LoggedInSession {
  /// The stronger key of an administrator.
  func administratorKey() throws(CommandError) -> AdminSession {
    try explained { () throws(RoleError) in try AdminSession(self) }
  }
}

extension Workspace {
  /// Opens a screen of the user who is logged in; throws without a session.
  func open<Screen: GuardedScreen & Sendable>(
    _: Screen.Type, isActivity: Bool = true
  ) async throws(CommandError) -> Screen {
    _ = isActivity ? try await activeSession() : try await session()
    guard let screen = store.open(Screen.self) else { throw CommandError(code: .notLoggedIn) }
    return screen
  }

  /// Runs a request that needs an administrator with a recent password.
  func askAsAdministrator<Value>(
    _ body: (AdminSession, FreshSession, borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    let session = try await activeSession()
    // Checks the role before it prompts for a password.
    _ = try session.administratorKey()
    let fresh = try await makeFresh(session)
    let administrator = try fresh.session.administratorKey()
    return try await store.ask(fresh.session) { (lease) throws(BackendError) in
      try body(administrator, fresh, lease)
    }
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
