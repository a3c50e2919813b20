/// A stronger key: the password was entered recently ("sudo mode").
///
/// Create it from a ``LoggedInSession``. It checks the current limits of the session, so a
/// reauthentication counts even if the key is older. The check holds for the moment of creation;
/// the authority checks again in the transaction of the effect. (OWASP ASVS 5.0, 7.5:
/// re-authentication before sensitive operations.)
public struct FreshSession: Hashable, Sendable {
  /// The key of the session when this key was created.
  public let session: LoggedInSession

  /// Creates the stronger key.
  ///
  /// - Throws: ``FreshnessError``; the session does not change.
  public init(_ session: LoggedInSession) throws(FreshnessError) {
    if let reason = session.endReason { throw .ended(reason) }
    let now: BootInstant
    do { now = try session.gate.clock.now() } catch { throw .clock(error) }
    let newest = session.newest
    guard newest.limits.isFresh(at: now) else { throw .passwordNotRecent }
    self.session = newest
  }
}

/// Why the session is not fresh.
///
/// Frozen: a later version adds no case.
public enum FreshnessError: Error, Hashable, Sendable {
  /// The password was entered too long ago. Prompt for it, and call
  /// ``SessionStore/reauthenticate(_:password:limits:within:)``.
  case passwordNotRecent
  /// The session has ended.
  case ended(EndReason)
  /// The clock could not be read, so the answer is unknown.
  case clock(ClockError)
}
