/// Who decides about credentials and sessions: an embedded database today, a remote server later.
///
/// A ``SessionID`` is never given twice, neither to another user nor after its session ended: the
/// library takes two grants with one name and one user for the same session, and everything else
/// for different ones.
///
/// Every operation answers exactly once: a value, or an ``AuthorityError`` that keeps *rejected* (an answer), *throttled* and
/// *unavailable* (no answer) apart. Only a rejection ever ends a session.
/// An implementation may block its caller, and with it whoever gives a command to the store. It
/// must be safe to call from anywhere at once, and `AuthCoreTesting` has the contract suite that it
/// should pass.
public protocol Authority: Sendable {
  /// Checks credentials and begins a session.
  ///
  /// - Returns: A grant with a token and a session name that were never given before.
  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant

  /// Says whom a kept token stands for now. It is not activity: no limit moves.
  ///
  /// - Returns: A grant with `token` itself. Exchange tokens in ``renew(_:)``: the store refuses an
  ///   answer with another token as unparsable, because nobody would have kept that one.
  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Reports activity: moves the idle limit, and may exchange the token.
  ///
  /// It never brings an ended session back.
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Checks the password again, for the same session, and issues a token with new limits.
  ///
  /// The token it replaces works until the new one is confirmed or used, so that a crash before the new one is kept loses
  /// nothing. A refusal leaves the session as it was.
  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant

  /// Says that a token issued by ``renew(_:)`` or ``reauthenticate(_:password:limits:)`` is kept now: the one it replaced dies.
  ///
  /// Confirming twice is success. A confirmation that never arrives is made up for by the first use of the token.
  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>)

  /// Ends the session of a token. A token that is already dead or unknown is success: it does not work any more.
  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability)
}
