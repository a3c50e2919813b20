public import AuthCore
import Guards

/// The scripted answers for the next calls, one answer per call, in order.
struct ScriptedAnswers {
  var authentications: [Result<Authentication, AuthorityError<CredentialsRejection>>] = []
  var resumptions: [Result<Grant, AuthorityError<SessionRejection>>] = []
  var renewals: [Result<Grant, AuthorityError<SessionRejection>>] = []
  var reauthentications: [Result<Authentication, AuthorityError<ReauthenticationRejection>>] = []
  var challengeAnswers: [Result<Authentication, AuthorityError<ReauthenticationRejection>>] = []
  var confirmations: [Result<Void, AuthorityError<SessionRejection>>] = []
  var revocations: [Result<Void, Unavailability>] = []
}

extension ScriptedAuthority {
  /// Answers one call of `authenticate(_:limits:)` with `answer`.
  ///
  /// Answers form a queue. The authority uses each answer once, at the point where it would check.
  /// When no answer is left, it decides on its own again. An answer does not change the sessions:
  /// the next call does not accept a token that only the answer granted.
  public func answerAuthentication(with answer: Result<Authentication, AuthorityError<CredentialsRejection>>) {
    storage.withLock { $0.answers.authentications.append(answer) }
  }

  /// Answers one call of `resume(_:)` with `answer`; see ``answerAuthentication(with:)``.
  public func answerResumption(with answer: Result<Grant, AuthorityError<SessionRejection>>) {
    storage.withLock { $0.answers.resumptions.append(answer) }
  }

  /// Answers one call of `renew(_:)` with `answer`; see ``answerAuthentication(with:)``.
  public func answerRenewal(with answer: Result<Grant, AuthorityError<SessionRejection>>) {
    storage.withLock { $0.answers.renewals.append(answer) }
  }

  /// Answers one call of `reauthenticate(_:with:limits:)` with `answer`; see
  /// ``answerAuthentication(with:)``.
  public func answerReauthentication(with answer: Result<Authentication, AuthorityError<ReauthenticationRejection>>) {
    storage.withLock { $0.answers.reauthentications.append(answer) }
  }

  /// Answers one call of `answer(_:with:)` with `answer`; see ``answerAuthentication(with:)``.
  public func answerChallenge(with answer: Result<Authentication, AuthorityError<ReauthenticationRejection>>) {
    storage.withLock { $0.answers.challengeAnswers.append(answer) }
  }

  /// Answers one call of `confirm(_:)` with `answer`; see ``answerAuthentication(with:)``.
  public func answerConfirmation(with answer: Result<Void, AuthorityError<SessionRejection>>) {
    storage.withLock { $0.answers.confirmations.append(answer) }
  }

  /// Answers one call of `revoke(_:reason:)` with `answer`; see ``answerAuthentication(with:)``.
  public func answerRevocation(with answer: Result<Void, Unavailability>) {
    storage.withLock { $0.answers.revocations.append(answer) }
  }
}
