import AuthCore
import ConcurrencyKit

/// Which sessions a command may end, and which session files it may erase.
///
/// A command that only reads ends no session: a store revokes the session whose file is missing,
/// but a missing file is not a logout. A command that also logs in and out, such as `app`, does
/// that between ``begin()`` and ``finish()``.
final class SessionEndings: Sendable {
  private let use: WorkspaceUse
  private let state = Locked(State())

  private struct State {
    /// How many logins and logouts are under way.
    var underWay = 0
    /// The tokens that they tried to revoke: a retry may revoke them in a command that only reads.
    var revoked: Set<SessionToken> = []
    /// The error of all further revocations of this run.
    var obstacle: Unavailability?
    /// The tokens of disabled accounts.
    var disabled: Set<SessionToken> = []
    /// Whether the session file of a disabled account is erased, as a login and a logout do.
    var erasesDisabled = false
  }

  init(_ use: WorkspaceUse) { self.use = use }

  /// Whether the command only reads, and no login or logout is under way.
  var readsOnly: Bool { use != .acts && state.withLock { $0.underWay == 0 } }

  /// Allows revocations from now on, because the user logs in or out.
  func begin() { state.withLock { $0.underWay += 1 } }

  /// Stops allowing what ``begin()`` allowed.
  func finish() { state.withLock { $0.underWay -= 1 } }

  /// Makes every further revocation fail with this error, without a request.
  func failAll(with obstacle: Unavailability) { state.withLock { $0.obstacle = obstacle } }

  /// Whether the token may be revoked now; throws the error of ``failAll(with:)``.
  func mayRevoke(_ token: SessionToken) throws(Unavailability) -> Bool {
    let (isAsked, obstacle) = state.withLock { state in
      if state.underWay > 0 { state.revoked.insert(token) }
      return (state.revoked.contains(token), state.obstacle)
    }
    guard isAsked || use == .acts else { return false }
    if let obstacle { throw obstacle }
    return true
  }

  /// Notes that the token was refused because its account is disabled.
  func noteDisabled(_ token: SessionToken) { state.withLock { _ = $0.disabled.insert(token) } }

  /// Erases the session file of a disabled account from now on.
  func eraseDisabled() { state.withLock { $0.erasesDisabled = true } }

  /// Whether the store may erase the session file of this token.
  ///
  /// A store erases the token of a session that has ended. For a disabled account that would let
  /// only the first command say so: every later one would advise to log in, which is refused
  /// without a reason. So the file stays, until a login or a logout. A command that only reads
  /// erases no file.
  func mayErase(_ token: SessionToken) -> Bool {
    state.withLock { state in
      switch use {
      case .acts: state.erasesDisabled || !state.disabled.contains(token)
      case .readsOnly, .readsUntilAsked: state.underWay > 0 || state.revoked.contains(token)
      }
    }
  }
}
