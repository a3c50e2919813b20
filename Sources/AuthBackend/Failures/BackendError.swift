public import AuthCore

/// Why a backend did not do what was asked.
///
/// Every error says what happened and why (``description``), what to do next (``hint``), and
/// carries a stable ``code`` for programs. Nothing was changed when one is thrown, except what the
/// operation names: counters of the throttle, and events.
public struct BackendError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class of the error.
  public enum Kind: Hashable, Sendable {
    /// What was given does not have the accepted form.
    case invalid
    /// The form is right, and a rule or the present state forbids it.
    case refused
    /// The name and the password do not open an account here.
    case credentials
    /// The password is right, and a code is asked for; or the code was wrong, and is asked for
    /// again.
    case challenged(Challenge)
    /// The session is over, or its token was exchanged.
    case session(SessionRejection)
    /// The password was entered too long ago.
    case notFresh
    /// Only an administrator may do that.
    case notPermitted
    /// Too many attempts: this one was not checked.
    case throttled(Throttle)
    /// The database could not answer, or could not store its answer.
    case unavailable(Unavailability)
  }

  /// The class of the error.
  public let kind: Kind
  /// A stable name for programs, in snake case.
  public let code: String
  /// What happened and why, in one line, without secrets.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String

  /// Creates an error, for a backend to throw.
  public init(_ kind: Kind, _ code: String, _ description: String, hint: String) {
    self.kind = kind
    self.code = code
    self.description = description
    self.hint = hint
  }
}

extension BackendError {
  /// A rule that one backend alone has.
  package static func invalid(_ code: String, _ description: String, hint: String) -> BackendError {
    BackendError(.invalid, code, description, hint: hint)
  }

  /// A refusal that one backend alone has.
  package static func refused(_ code: String, _ description: String, hint: String) -> BackendError {
    BackendError(.refused, code, description, hint: hint)
  }

  package static func unavailable(_ cause: Unavailability.Cause, _ code: String, _ what: String, hint: String)
    -> BackendError
  {
    BackendError(.unavailable(Unavailability(cause, what, hint: hint, code: code)), code, what, hint: hint)
  }

  /// What a device could not do, in the terms of a backend.
  package init(_ failure: Unavailability) {
    self.init(.unavailable(failure), failure.code, failure.description, hint: failure.hint)
  }

  /// One sentence for an unknown name, a wrong password and a disabled account.
  package static let credentialsNotAccepted = BackendError(
    .credentials, "credentials_not_accepted", "The name and the password were not accepted.",
    hint: "Check both and try again; after five wrong passwords in a row you must wait.")

  /// One sentence for an unknown name, a disabled account, and a code that is wrong, used or
  /// expired.
  package static let codeNotAccepted = BackendError(
    .credentials, "credentials_not_accepted", "The name and the code were not accepted.",
    hint: "Check both. A code works once; a code from an administrator works for a limited time.")

  /// A code that is wrong, used, too old or too new, or the answer to a challenge that is over.
  package static let stepNotAccepted = BackendError(
    .credentials, "credentials_not_accepted", "The code was not accepted.",
    hint: "Each code works once and for about a minute. Wait for the next one, and check the clock of the device.")

  package static func challenged(_ challenge: Challenge) -> BackendError {
    BackendError(
      .challenged(challenge), "code_missing", "The password is right, and a code is needed too.",
      hint: "Answer with a code of the authenticator app, or with a recovery code.")
  }

  package static let notFresh = BackendError(
    .notFresh, "not_fresh", "The password was entered too long ago for this.",
    hint: "Enter the password again, then repeat the request.")

  package static let notPermitted = BackendError(
    .notPermitted, "not_permitted", "Only an administrator may do this.", hint: "Ask an administrator to do it.")

  package static func throttled(_ throttle: Throttle) -> BackendError {
    switch throttle {
    case .wait(let remaining):
      BackendError(
        .throttled(throttle), "throttled", "Too many failed attempts: this one was not checked.",
        hint: "Try again in \(remaining.secondsRoundedUp) s.")
    case .locked:
      BackendError(
        .throttled(throttle), "locked", "Too many failed attempts: the account is locked.",
        hint: "An administrator can unlock it.")
    }
  }

  package static func session(_ rejection: SessionRejection) -> BackendError {
    let (code, what) =
      switch rejection {
      case .superseded: ("session_superseded", "The session's token was exchanged for a newer one.")
      case .ended(let reason): ("session_\(reason.code)", reason.description)
      }
    return BackendError(.session(rejection), code, what, hint: "Log in again.")
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
    switch kind {
    case .throttled(let throttle): return .throttled(throttle)
    case .unavailable(let unavailability): return .unavailable(unavailability)
    case .invalid, .refused, .credentials, .challenged, .session, .notFresh, .notPermitted:
      return .unavailable(Unavailability(.unparsable, description, hint: hint, code: code))
    }
  }

  /// The same where the only answer can be that nothing is known.
  package var asUnavailability: Unavailability {
    if case .unavailable(let unavailability) = kind { return unavailability }
    return Unavailability(.unparsable, description, hint: hint, code: code)
  }

  /// The failure of a question about a session.
  package var asSessionFailure: AuthorityError<SessionRejection> {
    asAuthorityFailure { kind in
      if case .session(let rejection) = kind { return rejection }
      return nil
    }
  }

  /// The failure of a login.
  package var asLoginFailure: AuthorityError<CredentialsRejection> {
    asAuthorityFailure { $0 == .credentials ? .notAccepted : nil }
  }

  /// The failure of a reauthentication, or of an answer to a challenge.
  package var asReauthenticationFailure: AuthorityError<ReauthenticationRejection> {
    asAuthorityFailure { kind in
      switch kind {
      case .session(let rejection): .session(rejection)
      case .credentials: .notAccepted
      case .challenged, .invalid, .refused, .notFresh, .notPermitted, .throttled, .unavailable: nil
      }
    }
  }
}

/// The result of an operation in the vocabulary of `Authority`, where a challenge is a result.
func authentication<Rejection>(
  _ operation: () throws(BackendError) -> Grant, _ failure: (BackendError) -> AuthorityError<Rejection>
) throws(AuthorityError<Rejection>) -> Authentication {
  do throws(BackendError) {
    return .granted(try operation())
  } catch {
    guard case .challenged(let challenge) = error.kind else { throw failure(error) }
    return .challenged(challenge)
  }
}
