/// The answer of an authority to accepted credentials, or to an answer to a challenge.
///
/// Frozen: a later version adds no case.
public enum Authentication: Hashable, Sendable {
  /// The session begins, or continues, with this grant.
  case granted(Grant)
  /// A second step is required; or the answer to it was wrong, and the user may try again.
  case challenged(Challenge)

  /// The grant; nil for a challenge.
  package var grant: Grant? {
    if case .granted(let grant) = self { grant } else { nil }
  }
}

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
  /// How this authority exchanges tokens; the default is ``TokenExchange/untilConfirmed``.
  var exchange: TokenExchange { get }

  /// Why a saved token is not one of this authority, such as one of another server; nil if it may
  /// be one.
  ///
  /// The store neither sends nor replaces such a token, and reports this. The default is nil: an
  /// authority whose tokens do not name where they belong cannot tell.
  func notHere(_ token: SessionToken) -> Unavailability?

  /// Checks credentials and begins a session.
  ///
  /// - Returns: A grant with a token and a session name that were never issued before, or a
  ///   challenge if a second step is required.
  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication

  /// Returns the current user and limits of a saved token; this is not activity, so no limit moves.
  ///
  /// It spends no token, and must not end the session if another process has just spent this one:
  /// the store asks without a lock.
  ///
  /// - Returns: A grant with `token` itself. Exchange tokens only in ``renew(_:)`` and
  ///   ``reauthenticate(_:with:limits:)``: here the store refuses another token as unparsable,
  ///   because no vault holds it.
  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Reports activity: moves the idle limit, and may exchange the token.
  ///
  /// It never revives an ended session.
  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Does the same as ``renew(_:)`` under a lock, for an authority that spends the old token.
  ///
  /// The default calls `renew`. An authority that answers with a new token must not do anything
  /// else before it returns it, such as asking for the user: the store saves it first.
  ///
  /// - Parameters:
  ///   - token: The token, which the vault holds.
  ///   - recorder: Where the program that sends the request writes its answer down.
  /// - Returns: The grant.
  /// - Throws: As `renew` does.
  func renew(
    _ token: SessionToken, recorder: ExchangeRecorder?
  ) async throws(AuthorityError<SessionRejection>) -> Grant

  /// Reads the recorded answer of an interrupted exchange, without a request.
  ///
  /// - Returns: Nil if it is incomplete or says nothing about the session; this is the default.
  func recover(
    _ token: SessionToken, _ interrupted: InterruptedExchange
  ) throws(AuthorityError<SessionRejection>) -> Grant?

  /// Checks credentials of the same user again, for the same session, and issues a new token with
  /// new limits.
  ///
  /// The token is always a new one. The old token works until the new one is confirmed or used, so
  /// that a crash before the new one is saved loses nothing. A refusal does not change the session.
  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication

  /// Checks the answer to a challenge of ``authenticate(_:limits:)`` or
  /// ``reauthenticate(_:with:limits:)``, and returns the result of that operation.
  ///
  /// A wrong answer uses up a try, and the result is the updated challenge. When the challenge has
  /// ended, the answer is rejected with `notAccepted`: the challenge was answered or withdrawn, has
  /// expired, or has no tries left. An authority without a second step always throws
  /// `.rejected(.notAccepted)`.
  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication

  /// Confirms that the vault holds a token from ``renew(_:)`` or
  /// ``reauthenticate(_:with:limits:)``: then the old token no longer works.
  ///
  /// Confirming twice is success. If a confirmation never arrives, the first use of the token
  /// confirms it. It must not end the session if another process has just spent the token: the
  /// store confirms without a lock.
  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>)

  /// Ends the session of a token; a dead or unknown token is success, because it does not work.
  ///
  /// The token of a challenge ends only that challenge. The end of a session ends its challenges.
  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability)
}

extension Authority {
  /// The old token works until the new one is confirmed or used.
  public var exchange: TokenExchange { .untilConfirmed }

  /// Nil.
  public func notHere(_ token: SessionToken) -> Unavailability? { nil }

  /// Calls ``renew(_:)``.
  public func renew(
    _ token: SessionToken, recorder: ExchangeRecorder?
  ) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await renew(token)
  }

  /// Nil: nothing is recorded.
  public func recover(
    _ token: SessionToken, _ interrupted: InterruptedExchange
  ) throws(AuthorityError<SessionRejection>) -> Grant? { nil }
}
