public import AuthCore
package import AuthDevice
import TextFormat

/// The error of an operation: a ``code`` and its ``values``, with a description and a hint.
///
/// Nothing was changed when one is thrown, except what the operation names: counters of the
/// throttle, and events.
public struct BackendError: ExplainedError, Worded, Hashable, Sendable {
  /// The class of the error.
  public enum Kind: Hashable, Sendable {
    /// The input does not have the accepted form.
    case invalid
    /// A rule or the current state forbids the operation.
    case refused
    /// The name and the password are not accepted.
    case credentials
    /// The password is right and a code is required, or the code was wrong and another one is
    /// required.
    case challenged(Challenge)
    /// The session has ended, or its token was exchanged.
    case session(SessionRejection)
    /// The password was entered too long ago.
    case notFresh
    /// Only an administrator may do that.
    case notPermitted
    /// Too many attempts: this one was not checked.
    case throttled(Throttle)
    /// The database could not answer, or could not store its answer.
    case unavailable(Unavailability)

    /// Why the session of the token was rejected; nil for every other reason.
    package var rejection: SessionRejection? { if case .session(let rejection) = self { rejection } else { nil } }
  }

  /// The class of the error.
  public let kind: Kind
  /// A stable name for programs, in snake case; ``Code`` has those of the rules.
  public let code: String
  /// The values of the message, such as a name or an amount, without secrets.
  public let values: [String]

  /// Creates an error, for a backend to throw.
  public init(_ kind: Kind, _ code: String, _ values: [String] = []) {
    self.kind = kind
    self.code = code
    self.values = values
  }

  /// The code and its values, for a log.
  package var summary: String { ([code] + values).joined(separator: " ") }

  private static let otherVersion = "Use the same version as the service."

  /// What happened, in one sentence.
  public var description: String { words.description }
  /// What to do about it, in one sentence.
  public var hint: String { words.hint }

  package var words: ErrorWords {
    switch kind {
    case .invalid, .refused:
      ErrorText.of(code, for: values)?.words(values) ?? (summary.asSentence, Self.otherVersion)
    case .credentials: SessionError.credentialsNotAccepted.words
    case .challenged: ("A code is needed after the password.", "Enter the code.")
    case .session(let rejection): rejection.words
    case .notFresh: FreshnessError.passwordNotRecent.words
    case .notPermitted: ("Only an administrator may do this.", "Ask an administrator to do it.")
    case .throttled(let throttle): throttle.words
    case .unavailable(let failure): (failure.description, failure.hint)
    }
  }
}

extension BackendError {
  /// Creates an error for input that does not have the accepted form.
  package static func invalid(_ code: Code, _ values: String...) -> BackendError {
    BackendError(code.text, values)
  }

  /// Creates an error for what a rule or the current state forbids.
  package static func refused(_ code: Code, _ values: String...) -> BackendError {
    BackendError(code.text, values)
  }

  /// Creates an error for input of an operator that does not have the accepted form.
  package static func invalid(_ code: OperatorCode, _ values: String...) -> BackendError {
    BackendError(code.text, values)
  }

  /// Creates an error for what an operator may not do now.
  package static func refused(_ code: OperatorCode, _ values: String...) -> BackendError {
    BackendError(code.text, values)
  }

  /// Creates an error of the database, the system or the service, whose message is a value.
  package static func unavailable(_ code: FailureCode, _ values: String...) -> BackendError {
    BackendError(code.text, values)
  }

  /// A failure with a code that may be of a newer version.
  package static func failure(
    _ cause: Unavailability.Cause, _ code: String, _ values: [String]
  ) -> BackendError {
    failure(cause, code, values, ErrorText.of(code, for: values))
  }

  private static func failure(
    _ cause: Unavailability.Cause, _ code: String, _ values: [String], _ text: ErrorText?
  ) -> BackendError {
    let words: ErrorWords =
      text?.words(values) ?? ("The service reported \(([code] + values).joined(separator: " ")).", otherVersion)
    return BackendError(Unavailability(cause, words.description, hint: words.hint, code: code, values: values))
  }

  private init(_ text: ErrorText, _ values: [String]) {
    switch text.kind {
    case .refused: self.init(.refused, text.code, values)
    case .invalid: self.init(.invalid, text.code, values)
    case .failed(let cause): self = .failure(cause, text.code, values, text.text(for: values))
    }
  }

  package init(_ failure: Unavailability) {
    self.init(.unavailable(failure), failure.code, failure.values)
  }

  package init(_ error: FileError) {
    self.init(Unavailability(error.cause, error.description, hint: error.hint, code: error.code))
  }

  package init(_ error: ClockError) {
    self.init(Unavailability(.unreadable, error.description, hint: error.hint, code: ClockError.code))
  }

  /// One answer for an unknown name, a disabled account, a wrong password, and a code that is
  /// wrong, used, too old or too new.
  package static let credentialsNotAccepted = BackendError(.credentials, "credentials_not_accepted")

  /// The wait that began with a wrong guess.
  package var waitBegun: Duration? {
    kind == .credentials ? values.first.flatMap { Int64($0) }.map { .seconds($0) } : nil
  }

  package static func challenged(_ challenge: Challenge) -> BackendError {
    BackendError(.challenged(challenge), "code_missing")
  }

  package static let notFresh = BackendError(.notFresh, "not_fresh")

  package static let notPermitted = BackendError(.notPermitted, "not_permitted")

  package static func throttled(_ throttle: Throttle) -> BackendError {
    BackendError(.throttled(throttle), throttle == .locked ? "locked" : "throttled")
  }

  package static func session(_ rejection: SessionRejection) -> BackendError {
    switch rejection {
    case .superseded: BackendError(.session(rejection), "session_superseded")
    case .ended(let reason): BackendError(.session(rejection), "session_\(reason.code)")
    }
  }
}

extension BackendError {
  /// The failure in the vocabulary of `Authority`, where `rejection` picks the kinds that are an
  /// answer.
  ///
  /// A kind that the operation cannot give becomes an answer that was not understood, so that it
  /// never ends a session.
  package func asAuthorityFailure<Rejection>(_ rejection: (Kind) -> Rejection?) -> AuthorityError<Rejection> {
    if let rejected = rejection(kind) { return .rejected(rejected) }
    if case .throttled(let throttle) = kind { return .throttled(throttle) }
    return .unavailable(asUnavailability)
  }

  /// The error as an unavailability, for an operation without a rejection.
  package var asUnavailability: Unavailability {
    if case .unavailable(let unavailability) = kind { return unavailability }
    return Unavailability(.unparsable, "The answer was \(summary).", code: code)
  }

  /// The error of `resume`, `renew` and `confirm`.
  package var asSessionFailure: AuthorityError<SessionRejection> { asAuthorityFailure(\.rejection) }

  /// The failure of a login.
  package var asLoginFailure: AuthorityError<CredentialsRejection> {
    asAuthorityFailure { $0 == .credentials ? .notAccepted : nil }
  }

  /// The failure of a reauthentication, or of an answer to a challenge.
  package var asReauthenticationFailure: AuthorityError<ReauthenticationRejection> {
    asAuthorityFailure { $0 == .credentials ? .notAccepted : $0.rejection.map { .session($0) } }
  }
}
