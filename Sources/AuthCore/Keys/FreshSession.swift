/// A stronger key: the password was entered recently ("sudo mode").
///
/// Only made from a ``LoggedInSession``, and judged by the limits that the session has by now: a
/// password that was entered again counts also under a key from before. It says what the clock said
/// when it was made; the authority checks again in the transaction of the effect. (OWASP ASVS 5.0,
/// 7.5: re-authentication before sensitive operations.)
public struct FreshSession: Hashable, Sendable {
  /// The key of the session at the moment when this key was made.
  public let session: LoggedInSession

  /// Makes the stronger key.
  ///
  /// - Throws: ``FreshnessError``; the session stays as it is.
  public init(_ session: LoggedInSession) throws(FreshnessError) {
    if let reason = session.endReason { throw .ended(reason) }
    let now: BootInstant
    do {
      now = try session.gate.clock.now()
    } catch {
      throw .clock(error)
    }
    let newest = session.newest
    guard newest.limits.isFresh(at: now) else { throw .passwordNotRecent }
    self.session = newest
  }
}

/// Why the session is not fresh.
public enum FreshnessError: Error, Hashable, Sendable {
  /// The password was entered too long ago. Ask for it, and call
  /// ``SessionStore/reauthenticate(password:limits:)``.
  case passwordNotRecent
  /// The session is over.
  case ended(EndReason)
  /// The clock could not be read, so nobody can tell.
  case clock(ClockError)
}
