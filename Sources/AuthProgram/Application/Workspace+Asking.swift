import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite

// The one way by which commands use the session at the authority. A failed lease becomes a refusal
// nowhere else.

extension SessionStore {
  /// Runs `question`, which asks the authority something under a lease of the session.
  ///
  /// Another process may exchange the session's token at any moment, also between two questions of
  /// one command. Then the authority refuses the old token and changes nothing. The new token is in
  /// the session file by then, so this reads the file again and repeats the question. Each
  /// repetition means that another process has finished its exchange.
  func asking<Value, Failure: LeasedFailure>(
    _ question: () async throws(Failure) -> Value
  ) async throws(CommandError) -> Value {
    while true {
      do throws(Failure) {
        return try await question()
      } catch {
        try await readAgain(after: error.leaseError)
      }
    }
  }

  /// Reads the session file again where that helps after a failure.
  ///
  /// Not a part of ``asking(_:)``, of which there are many copies.
  @inline(never)
  private func readAgain(after error: LeaseError<BackendError>) async throws(CommandError) {
    guard case .body(let failure) = error, failure.kind == .session(.superseded) else { throw CommandError(error) }
    do throws(SessionError) { try await check() } catch { throw CommandError(error) }
  }

  /// Whether the session goes on without its file, which a logout never leaves behind: it ends the
  /// session first.
  func isGoingOn(
    _ session: LoggedInSession, without vault: FileVault, at backend: any Backend
  ) async throws(CommandError) -> Bool {
    guard case .absent = vault.look() else { return false }
    return try await asking { () throws(LeaseError<BackendError>) in
      try session.withLease { (lease) throws(BackendError) in try backend.lookUp(lease.sessionToken) != nil }
    }
  }
}

extension SessionStore {
  /// Makes a payment, once and in full, or not at all.
  ///
  /// Not inlined: commands and the full-screen program have one copy of it.
  @inline(never)
  func pay(
    _ order: PaymentOrder, _ fresh: FreshSession, on screen: PaymentScreen, at backend: any Backend
  ) async throws(CommandError) -> Receipt {
    try await asking { () async throws(PaymentError) in
      try await screen.submit(backend.prepare(order, for: fresh))
    }
  }
}

extension Workspace {
  /// Runs `question` on the session of this run; see ``SessionStore/asking(_:)``.
  func asking<Value, Failure: LeasedFailure>(
    _ question: () async throws(Failure) -> Value
  ) async throws(CommandError) -> Value {
    try await store.asking(question)
  }

  /// Asks the authority something under a lease of `session`.
  func ask<Value>(
    _ session: LoggedInSession, _ question: (borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    try await asking { () throws(LeaseError<BackendError>) in try session.withLease(question) }
  }
}

/// A failure of something that was done under a lease.
protocol LeasedFailure: Error {
  var leaseError: LeaseError<BackendError> { get }
}

extension LeaseError<BackendError>: LeasedFailure {
  var leaseError: LeaseError<BackendError> { self }
}

extension CommandError {
  fileprivate init(_ error: LeaseError<BackendError>) {
    switch error {
    case .ended(let reason): self = .ended(reason)
    case .body(let failure): self.init(failure)
    }
  }
}
