/// Decides about credentials and sessions: a database on this machine, or a server.
///
/// An authority issues each ``SessionID`` only once, never to another user and never again after
/// its session ended. The library treats two grants with the same session name and the same user as
/// one session, and all others as different sessions.
///
/// Each operation answers exactly once, with a value or an ``AuthorityError``, which distinguishes
/// *rejected* (an answer) from *throttled* and *unavailable* (no answer). Only a rejection ends a
/// session. An implementation may block its caller, because the store calls it on separate threads.
/// Several threads may call it simultaneously. It should pass the contract suite in
/// `AuthCoreTesting`.
public protocol Authority: Sendable {
  /// Checks credentials and begins a session.
  ///
  /// - Returns: A grant with a token and a session name that were never issued before.
  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant

  /// Returns the current user and limits of a saved token; this is not activity, so no limit moves.
  ///
  /// - Returns: A grant with `token` itself. Exchange tokens only in ``renew(_:)`` and
  ///   ``reauthenticate(_:password:limits:)``: here the store refuses another token as unparsable,
  ///   because no vault holds it.
  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Reports activity: moves the idle limit, and may exchange the token.
  ///
  /// It never revives an ended session.
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Checks the password again, for the same session, and issues a new token with new limits.
  ///
  /// The token is always a new one. The old token works until the new one is confirmed or used, so
  /// that a crash before the new one is saved loses nothing. A refusal does not change the session.
  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant

  /// Checks the answer to a challenge of ``authenticate(_:limits:)`` or
  /// ``reauthenticate(_:password:limits:)``, and returns the result of that operation.
  ///
  /// A wrong answer uses up a try and is rejected with the updated challenge, or with `notAccepted`
  /// when the challenge has ended: it was answered or withdrawn, has expired, or has no tries left.
  /// An authority without a second step needs no implementation.
  func answer(
    _ challenge: Challenge, with answer: Password
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant

  /// Confirms that the vault holds a token from ``renew(_:)`` or
  /// ``reauthenticate(_:password:limits:)``: then the old token no longer works.
  ///
  /// Confirming twice is success. If a confirmation never arrives, the first use of the token
  /// confirms it.
  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>)

  /// Ends the session of a token; a dead or unknown token is success, because it does not work.
  ///
  /// The token of a challenge ends only that challenge. The end of a session ends its challenges.
  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability)
}

extension Authority {
  /// Rejects the answer, because this authority has no second step.
  public func answer(
    _ challenge: Challenge, with answer: Password
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    throw .rejected(.notAccepted)
  }
}
