import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages

// The one way by which commands and the full-screen program use the session at the authority. A
// failed lease becomes a refusal nowhere else.

extension SessionStore {
  /// Runs `question`, which asks the authority something under a lease of the session.
  ///
  /// Another process may exchange the session's token at any moment, also between two questions of
  /// one command. Then the authority refuses the old token and changes nothing. The new token is in
  /// the session file by then, so this reads the file again and repeats the question. Each
  /// repetition means that another process has finished its exchange.
  private func asking<Value>(
    _ question: () async throws(LeaseError<BackendError>) -> Value
  ) async throws(CommandError) -> Value {
    while true {
      do throws(LeaseError<BackendError>) {
        return try await question()
      } catch {
        guard case .body(let failure) = error, failure.kind == .session(.superseded) else { throw CommandError(error) }
        try await explainedAsync { () throws(SessionError) in try await check() }
      }
    }
  }

  /// Asks the authority something under a lease of `session`.
  func ask<Value>(
    _ session: LoggedInSession, _ question: (borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    try await asking { () throws(LeaseError<BackendError>) in try session.withLease(question) }
  }

  /// Whether the session goes on without its file, which a logout never leaves behind: it ends the
  /// session first.
  func isGoingOn(
    _ session: LoggedInSession, without vault: FileVault, at backend: any Backend
  ) async throws(CommandError) -> Bool {
    guard case .absent = vault.look() else { return false }
    return try await ask(session) { (lease) throws(BackendError) in try backend.lookUp(lease.sessionToken) != nil }
  }

  /// Makes a payment, once and in full, or not at all.
  ///
  /// Not inlined: commands and the full-screen program have one copy of it.
  @inline(never)
  func pay(
    _ order: PaymentOrder, _ fresh: FreshSession, on screen: PaymentScreen, at backend: any Backend
  ) async throws(CommandError) -> Receipt {
    try await asking { () async throws(LeaseError<BackendError>) in
      do throws(PaymentError) {
        return try await screen.submit(backend.prepare(order, for: fresh))
      } catch {
        switch error {
        case .anotherInProgress: preconditionFailure("one payment is made at a time")
        case .ended(let reason): throw .ended(reason)
        case .refused(let failure): throw .body(failure)
        }
      }
    }
  }
}

extension Workspace {
  /// Opens a screen of whoever is logged in; without a session there is none to open.
  func open<Screen: GuardedScreen & Sendable>(
    _: Screen.Type, isActivity: Bool = true
  ) async throws(CommandError) -> Screen {
    _ = isActivity ? try await activeSession() : try await session()
    guard let screen = store.open(Screen.self) else { throw CommandError(code: .notLoggedIn) }
    return screen
  }

  /// Asks the authority something under a lease of `session`.
  func ask<Value>(
    _ session: LoggedInSession, _ question: (borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    try await store.ask(session, question)
  }

  /// Asks the backend something that an administrator with a recent password may ask.
  func askAsAdministrator<Value>(
    _ question: (AdminSession, FreshSession, borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    let session = try await activeSession()
    // The role comes first, so that no password is asked for in vain.
    _ = try administrator(session)
    let fresh = try await fresh(session)
    let administrator = try administrator(fresh.session)
    return try await ask(fresh.session) { (lease) throws(BackendError) in try question(administrator, fresh, lease) }
  }

  /// The balance; nil where it cannot be told now, which the next command explains.
  func balance(_ session: LoggedInSession) async -> String? {
    try? await ask(session) { (lease) throws(BackendError) in
      Amount.text(try backend.profile(under: lease).balance)
    }
  }

  /// Whether the user must set up a second step before anything else.
  ///
  /// Where that cannot be told now, the next command says it.
  func needsTwoStep(_ session: LoggedInSession) async -> Bool {
    guard session.user.role == .administrator else { return false }
    let state = try? await ask(session) { (lease) throws(BackendError) in try backend.twoStep(under: lease) }
    return state.map { $0.isRequired && !$0.isOn } ?? false
  }
}
