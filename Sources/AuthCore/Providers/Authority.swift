/// Decides about credentials and sessions: a database on this machine, or a server.
///
/// An authority gives each ``SessionID`` only once, neither to another user nor after its session
/// ended. The library takes two grants with the same session name and the same user for one
/// session, and all others for different sessions.
///
/// Each operation answers exactly once: a value, or an ``AuthorityError`` that keeps *rejected* (an
/// answer), *throttled* and *unavailable* (no answer) apart. Only a rejection ends a session. An
/// implementation may block its caller: the store calls it on threads of its own. It must be safe
/// to call from several threads at once. `AuthCoreTesting` has the contract suite that it should
/// pass.
public protocol Authority: Sendable {
  /// Checks credentials and begins a session.
  ///
  /// - Returns: A grant with a token and a session name that were never given before.
  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant

  /// Returns the present user and limits of a saved token. This is not activity: no limit moves.
  ///
  /// - Returns: A grant with `token` itself. Exchange tokens in ``renew(_:)`` and
  ///   ``reauthenticate(_:password:limits:)`` only: the store refuses another token here as
  ///   unparsable, because no vault holds it.
  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Reports activity: moves the idle limit, and may exchange the token.
  ///
  /// It never brings back an ended session.
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Checks the password again, for the same session, and issues a new token with new limits.
  ///
  /// The token is always a new one. The old token works until the new one is confirmed or used, so
  /// that a crash before the new one is saved loses nothing. A refusal leaves the session as it
  /// was.
  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant

  /// Checks the answer to a challenge of ``authenticate(_:limits:)`` or
  /// ``reauthenticate(_:password:limits:)``, and returns what that would have returned.
  ///
  /// A wrong answer costs a try and is rejected with the challenge as it is then, or with
  /// `notAccepted` when the challenge is over: answered, withdrawn, past its deadline or without
  /// tries. An authority without a second step needs no implementation.
  func answer(
    _ challenge: Challenge, with answer: Password
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant

  /// Confirms that the vault holds a token from ``renew(_:)`` or
  /// ``reauthenticate(_:password:limits:)``: the old token dies.
  ///
  /// Confirming twice is success. When a confirmation never arrives, the first use of the token
  /// confirms it.
  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>)

  /// Ends the session of a token. A dead or unknown token is success, because it does not work.
  ///
  /// The token of a challenge ends that challenge, and no session. The end of a session ends its
  /// challenges.
  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability)
}

extension Authority {
  /// Rejects the answer: this authority has no second step.
  public func answer(
    _ challenge: Challenge, with answer: Password
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    throw .rejected(.notAccepted)
  }
}
