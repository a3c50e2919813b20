import AuthBackend
import AuthCore
import AuthDevice
import Guards

/// The backend of one command.
///
/// It remembers which tokens were refused because the account is disabled, and the wait that began
/// with the last wrong guess, because the error of a login does not contain it.
///
/// A command that only reads revokes no session: a store revokes the session whose file is missing,
/// but a missing file is not a logout. A command that also logs in and out, such as `app`, does
/// that between ``beginEnding()`` and ``finishEnding()``.
final class CommandBackend: Backend {
  private let base: any Backend
  private let onlyLooks: Bool
  private let notes = Locked(Notes())

  private struct Notes {
    /// The tokens of disabled accounts.
    var disabled: Set<SessionToken> = []
    /// How many logins and logouts are under way.
    var endings = 0
    /// The tokens that they tried to revoke: a retry may revoke them in a command that only reads.
    var revoked: Set<SessionToken> = []
    /// Whether the session file of a disabled account is erased, as a login and a logout do.
    var forgetsDisabled = false
    /// The wait that began with the last wrong guess.
    var wait: Duration?
    /// The error of all further revocations of this run.
    var obstacle: Unavailability?
  }

  init(_ base: any Backend, onlyLooks: Bool) {
    self.base = base
    self.onlyLooks = onlyLooks
  }

  var clock: any SessionClock { base.clock }
  var policy: SessionPolicy { base.policy }
  var issuer: TokenIssuer { base.issuer }
  var connection: BackendConnection? { base.connection }
  var label: String? { base.label }
  var origin: @Sendable () -> SessionOrigin? { base.origin }

  func perform<Input, Output>(
    _ operation: BackendOperation<Input, Output>, on input: Input
  ) throws(BackendError) -> Output {
    do throws(BackendError) {
      return try base.perform(operation, on: input)
    } catch {
      if error.kind == .credentials { notes.withLock { $0.wait = error.waitBegun } }
      throw error
    }
  }

  func changes() throws(BackendError) -> any ChangeSource { try base.changes() }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(AuthorityError<SessionRejection>) {
      return try await base.resume(token)
    } catch {
      if error == .rejected(.ended(.accountDisabled)) { notes.withLock { _ = $0.disabled.insert(token) } }
      throw error
    }
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    let isAsked = notes.withLock { notes in
      if notes.endings > 0 { notes.revoked.insert(token) }
      return notes.revoked.contains(token)
    }
    guard isAsked || !onlyLooks else { return }
    if let obstacle = notes.withLock(\.obstacle) { throw obstacle }
    try await base.revoke(token, reason: reason)
  }

  /// Makes every further revocation fail with this error, without a request.
  func giveUp(_ obstacle: Unavailability) { notes.withLock { $0.obstacle = obstacle } }

  /// Erases the session file of a disabled account from now on.
  func forgetDisabled() { notes.withLock { $0.forgetsDisabled = true } }

  /// Whether the store may erase the session file of this token.
  ///
  /// A store erases the token of a session that has ended. For a disabled account that would let
  /// only the first command say so: every later one would advise to log in, which is refused
  /// without a reason. So the file stays, until a login or a logout.
  func mayErase(_ token: SessionToken) -> Bool {
    notes.withLock { $0.forgetsDisabled || !$0.disabled.contains(token) }
  }

  /// The wait that began with the last wrong guess, if one did.
  var waitBegun: Duration? { notes.withLock(\.wait) }

  /// Allows revocations from now on, because the user logs in or out.
  func beginEnding() { notes.withLock { $0.endings += 1 } }

  /// Stops allowing what ``beginEnding()`` allowed.
  func finishEnding() { notes.withLock { $0.endings -= 1 } }
}
