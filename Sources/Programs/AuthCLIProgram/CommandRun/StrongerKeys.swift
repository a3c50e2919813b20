import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit

// The keys of a session that only some requests get: of an administrator, and after a recent
// password.

extension Workspace {
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
}

extension LoggedInSession {
  /// The stronger key of an administrator.
  func administratorKey() throws(CommandError) -> AdminSession {
    try explained { () throws(RoleError) in try AdminSession(self) }
  }
}

extension SessionStore {
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
