public import AuthCore
import ConcurrencyKit

/// The scripted answers of a ``ScriptedAuthority``: a queue for each operation, for
/// ``ScriptedAuthority/script(_:_:)``.
public struct ScriptedAnswers: Sendable {
  /// The answers of `authenticate(_:limits:)`.
  public var authentications: [Result<Authentication, AuthorityError<CredentialsRejection>>] = []
  /// The answers of `resume(_:)`.
  public var resumptions: [Result<Grant, AuthorityError<SessionRejection>>] = []
  /// The answers of `renew(_:)`.
  public var renewals: [Result<Grant, AuthorityError<SessionRejection>>] = []
  /// The answers of `reauthenticate(_:with:limits:)`.
  public var reauthentications: [Result<Authentication, AuthorityError<ReauthenticationRejection>>] = []
  /// The answers of `answer(_:with:)`.
  public var challengeAnswers: [Result<Authentication, AuthorityError<ReauthenticationRejection>>] = []
  /// The answers of `confirm(_:)`.
  public var confirmations: [Result<Void, AuthorityError<SessionRejection>>] = []
  /// The answers of `revoke(_:reason:)`.
  public var revocations: [Result<Void, Unavailability>] = []
}

extension ScriptedAuthority {
  /// Answers one call of an operation with `answer`, such as
  /// `script(\.renewals, .failure(.rejected(.superseded)))`.
  ///
  /// The authority uses each answer once, at the point where it would check. When no answer is
  /// left, it decides on its own again. An answer does not change the sessions: the next call does
  /// not accept a token that only the answer granted.
  public func script<Value, Failure>(
    _ queue: WritableKeyPath<ScriptedAnswers, [Result<Value, Failure>]>, _ answer: Result<Value, Failure>
  ) {
    storage.withLock { $0.answers[keyPath: queue].append(answer) }
  }
}
