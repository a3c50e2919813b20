import AuthAccounts
import AuthCore
import AuthDevice
import ConcurrencyKit

/// The backend of one command, which ends only the sessions that the command may end.
///
/// A command that only reads also records nothing.
final class CommandBackend: Backend {
  let endings: SessionEndings
  private let base: any Backend
  /// Whether nothing at all may be written, not even that the user was active.
  private let isForShell: Bool
  private let wait = Locked<Duration?>(nil)

  init(_ base: any Backend, _ use: WorkspaceUse, isForShell: Bool) {
    (self.base, endings, self.isForShell) = (base, SessionEndings(use), isForShell)
  }

  var clock: any SessionClock { base.clock }
  var policy: SessionPolicy { base.policy }
  var issuer: TokenIssuer { base.issuer }
  var connection: BackendConnection? { base.connection }
  var label: String? { base.label }
  var origin: @Sendable () -> SessionOrigin? { base.origin }

  func changes() throws(BackendError) -> any ChangeSource { try base.changes() }

  func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output {
    assert(!isForShell || operation.work == .reads, "\(operation.name) may write, and a shell only asks")
    do throws(BackendError) {
      return try base.perform(operation, on: input)
    } catch {
      if error.kind == .credentials { wait.withLock { $0 = error.waitBegun } }
      throw error
    }
  }

  /// The wait that began with the last wrong guess, if one did: the error of a login does not
  /// contain it.
  var waitBegun: Duration? { wait.withLock(\.self) }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(AuthorityError<SessionRejection>) {
      return endings.readsOnly ? try inspected(token) : try await base.resume(token)
    } catch {
      if error == .rejected(.ended(.accountDisabled)) { endings.noteDisabled(token) }
      throw error
    }
  }

  /// Moves the idle limit, unless a shell asks.
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    isForShell ? try inspected(token) : try await base.renew(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    if try endings.mayRevoke(token) { try await base.revoke(token, reason: reason) }
  }

  /// The same as ``resume(_:)``, but it records nothing.
  private func inspected(_ token: SessionToken) throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(BackendError) { return try base.inspect(token) } catch { throw error.asSessionFailure }
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
}
