import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import Guards

/// The backend as a command uses it: it remembers which tokens were refused because the account is
/// disabled, and the wait that began with the last wrong guess, which the error of a login does not
/// carry.
///
/// A command that only looks ends no session, whatever it sees: a store revokes the session whose
/// file is gone, and somebody who moved the file away did not mean that. A logout has revoked it by
/// itself. Where such a command also logs in and out, it does that between
/// ``beginEnding()`` and ``finishEnding()``.
final class CommandBackend: Backend {
  private let base: any Backend
  private let onlyLooks: Bool
  private let notes = Locked(Notes())

  private struct Notes {
    /// The tokens of disabled accounts.
    var disabled: Set<SessionToken> = []
    /// How many logins and logouts are under way.
    var endings = 0
    /// What they revoked or tried to, which may be tried again although the command only looks.
    var revoked: Set<SessionToken> = []
    /// Whether the session file of a disabled account is erased: by a login and a logout only.
    var forgetsDisabled = false
    /// The wait that began with the last wrong guess.
    var wait: Duration?
    /// Why nothing more is revoked in this run.
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

  /// From now on every revocation fails with this error, without a request.
  func giveUp(_ obstacle: Unavailability) { notes.withLock { $0.obstacle = obstacle } }

  /// From now on the session file of a disabled account is erased.
  func forgetDisabled() { notes.withLock { $0.forgetsDisabled = true } }

  /// Whether the session file of this token stays, because the token was refused for a disabled
  /// account.
  func keepsFile(of token: SessionToken) -> Bool {
    notes.withLock { !$0.forgetsDisabled && $0.disabled.contains(token) }
  }

  /// The wait that began with the last wrong guess, if one did.
  var waitBegun: Duration? { notes.withLock(\.wait) }

  /// Allows to end sessions from now on, because the user logs in or out.
  func beginEnding() { notes.withLock { $0.endings += 1 } }

  /// Ends what ``beginEnding()`` began.
  func finishEnding() { notes.withLock { $0.endings -= 1 } }
}

/// The vault of a command that neither logs in nor out: it keeps the session file of a disabled
/// account.
///
/// A store erases the token of a session that is over. Then only the first command could say that
/// the account was disabled, and every later one would advise to log in, which is refused without a
/// reason. `login` and `logout` work on the vault itself.
struct DisabledSessionVault: SessionVault {
  let base: FileVault
  let backend: CommandBackend

  func load() async -> VaultReading { await base.load() }

  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    try await base.store(token, details)
  }

  func replace(_ old: SessionToken, with new: SessionToken, _ details: TokenDetails) async throws(VaultError) -> Bool {
    try await base.replace(old, with: new, details)
  }

  func erase(_ token: SessionToken) async throws(VaultError) {
    if !backend.keepsFile(of: token) { try await base.erase(token) }
  }

  func setAside() async throws(VaultError) -> String? { try await base.setAside() }

  func claim(_ token: SessionToken, wait: Duration) async throws(VaultError) -> Claimed {
    try await base.claim(token, wait: wait)
  }

  func isInterrupted(_ token: SessionToken) async -> Bool { await base.isInterrupted(token) }
}
