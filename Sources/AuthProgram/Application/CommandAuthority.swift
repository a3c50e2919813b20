import AuthCore
import AuthMessages
import Guards

/// The authority as a command uses it: it remembers which tokens were refused because the account
/// is disabled.
///
/// A command that only looks ends no session, whatever it sees: a store revokes the session whose
/// file is gone, and somebody who moved the file away did not mean that. A logout has revoked it by
/// itself. Where such a command also logs in and out, it does that between
/// ``beginEnding()`` and ``finishEnding()``.
final class CommandAuthority: AuthorityWrapper {
  let base: any Authority
  private let onlyLooks: Bool
  private let disabled = Locked<Set<SessionToken>>([])
  private let endings = Locked(Endings())

  /// What may be revoked although the command only looks.
  private struct Endings {
    /// How many logins and logouts are under way.
    var underWay = 0
    /// What they revoked or tried to, which may be tried again later.
    var tokens: Set<SessionToken> = []
  }

  init(base: any Authority, onlyLooks: Bool) {
    self.base = base
    self.onlyLooks = onlyLooks
  }

  /// Whether this token was refused because its account is disabled.
  func isDisabled(_ token: SessionToken) -> Bool {
    disabled.withLock { $0.contains(token) }
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(AuthorityError<SessionRejection>) {
      return try await base.resume(token)
    } catch {
      if error == .rejected(.ended(.accountDisabled)) { disabled.withLock { _ = $0.insert(token) } }
      throw error
    }
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    let isAsked = endings.withLock { endings in
      if endings.underWay > 0 { endings.tokens.insert(token) }
      return endings.tokens.contains(token)
    }
    guard isAsked || !onlyLooks else { return }
    do throws(Unavailability) {
      try await base.revoke(token, reason: reason)
    } catch {
      // The result of a logout has the description only.
      let (message, hint) = error.words
      throw Unavailability(error.cause, message, hint: hint.description, code: error.code)
    }
  }

  /// What somebody asks for now may end sessions: a login or a logout.
  func beginEnding() { endings.withLock { $0.underWay += 1 } }

  /// That is over.
  func finishEnding() { endings.withLock { $0.underWay -= 1 } }
}
