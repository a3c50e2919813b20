import AuthAccounts
import AuthCore
import AuthDevice
import ConcurrencyKit

/// The backend of one command.
///
/// It remembers which tokens were refused because the account is disabled, and the wait that began
/// with the last wrong guess, because the error of a login does not contain it.
///
/// A command that only reads ends no session and records nothing: a store revokes the session whose
/// file is missing, but a missing file is not a logout. A command that also logs in and out, such
/// as `app`, does that between ``beginEnding()`` and ``finishEnding()``.
final class CommandBackend: Backend {
  private let base: any Backend
  private let use: WorkspaceUse
  /// Whether nothing at all may be written, not even that the user was active.
  private let isForShell: Bool
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

  init(_ base: any Backend, _ use: WorkspaceUse, isForShell: Bool) {
    (self.base, self.use, self.isForShell) = (base, use, isForShell)
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
    assert(!isForShell || operation.work == .reads, "\(operation.name) may write, and a shell only asks")
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
      return readsOnly ? try inspected(token) : try await base.resume(token)
    } catch {
      if error == .rejected(.ended(.accountDisabled)) { notes.withLock { _ = $0.disabled.insert(token) } }
      throw error
    }
  }

  /// Moves the idle limit, unless a shell asks.
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    isForShell ? try inspected(token) : try await base.renew(token)
  }

  /// The same as ``resume(_:)``, but it records nothing.
  private func inspected(_ token: SessionToken) throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(BackendError) { return try base.inspect(token) } catch { throw error.asSessionFailure }
  }

  /// Whether the command only reads, and no login or logout is under way.
  private var readsOnly: Bool { use != .acts && notes.withLock { $0.endings == 0 } }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    let isAsked = notes.withLock { notes in
      if notes.endings > 0 { notes.revoked.insert(token) }
      return notes.revoked.contains(token)
    }
    guard isAsked || use == .acts else { return }
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
  /// without a reason. So the file stays, until a login or a logout. A command that only reads
  /// erases no file.
  func mayErase(_ token: SessionToken) -> Bool {
    notes.withLock { notes in
      switch use {
      case .acts: notes.forgetsDisabled || !notes.disabled.contains(token)
      case .readsOnly, .readsUntilAsked: notes.endings > 0 || notes.revoked.contains(token)
      }
    }
  }

  /// Why a token has no active session; nil if it has one.
  ///
  /// It changes nothing. A session that the database has forgotten, or never had, is `revoked`.
  func rejection(of token: SessionToken) throws(BackendError) -> SessionRejection? {
    do throws(BackendError) { _ = try base.inspect(token) } catch {
      guard case .session(let rejection) = error.kind else { throw error }
      return rejection
    }
    return nil
  }

  /// The wait that began with the last wrong guess, if one did.
  var waitBegun: Duration? { notes.withLock(\.wait) }

  /// Allows revocations from now on, because the user logs in or out.
  func beginEnding() { notes.withLock { $0.endings += 1 } }

  /// Stops allowing what ``beginEnding()`` allowed.
  func finishEnding() { notes.withLock { $0.endings -= 1 } }
}
