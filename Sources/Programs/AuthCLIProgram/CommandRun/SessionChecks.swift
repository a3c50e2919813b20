import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit

// Whether the session is still active, for commands and for the full screen.

extension SessionStore {
  /// Why nobody is logged in; nil if a user is, or if none was.
  var endReason: EndReason? { if case .loggedOut(.ended(let reason)) = state { reason } else { nil } }

  /// Checks the session again, and returns the reason if it could not be checked.
  func checkOrRestore() async -> CommandError? {
    if session != nil { return await checkAgain() }
    guard case .obstructed(let obstacle) = await restore() else { return nil }
    return CommandError(obstacle)
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
}

extension Workspace {
  /// Checks the session after it was ended in the database, so that this device forgets it too.
  func forgetRevoked() async {
    // The session has ended, as expected; the next command reports anything else.
    do throws(SessionError) { try await store.check() } catch {}
  }
}
