/// Why credentials began no session.
///
/// There is deliberately only one refusal of a password, so an unknown name, a wrong password and a
/// disabled account look alike. Frozen: a later version adds no case.
public enum CredentialsRejection: Hashable, Sendable {
  /// The name and the password do not match an account.
  case notAccepted
  /// A login at a server has ended without a session, for this reason.
  case loginRefused(LoginRefusal)
}

/// Why a login at a server, such as in a browser, began no session or did not continue one.
public struct LoginRefusal: Hashable, Sendable, CustomStringConvertible {
  /// A stable name for programs, in snake case.
  public let code: String
  /// What happened, in one sentence, without secrets.
  public let description: String
  /// What to do about it, in one sentence.
  public let hint: String

  /// Creates a refusal; for authorities.
  public init(_ code: String, _ description: String, hint: String) {
    (self.code, self.description, self.hint) = (code, description, hint)
  }
}

/// Why a token was refused.
///
/// Frozen: a later version adds no case.
public enum SessionRejection: Hashable, Sendable {
  /// The session has ended.
  case ended(EndReason)
  /// Another process of the same user exchanged the token for a newer one, which the vault may
  /// hold.
  case superseded
}

/// Why the password of a reauthentication, or the answer to a challenge, was refused.
///
/// Frozen: a later version adds no case.
public enum ReauthenticationRejection: Hashable, Sendable {
  /// The password is wrong, or the challenge has ended. The session does not change.
  case notAccepted
  /// A login at a server has ended without proof of the user, for this reason. The session does not
  /// change.
  case loginRefused(LoginRefusal)
  /// The token of the session was refused.
  case session(SessionRejection)
}

/// Too many attempts: the authority did not check this one.
///
/// Frozen: a later version adds no case.
public enum Throttle: Hashable, Sendable {
  /// Try again after this time.
  case wait(Duration)
  /// The account is locked until an administrator unlocks it.
  case locked
}

/// The authority did not answer, or its answer could not be parsed.
///
/// This says nothing about the session.
public struct Unavailability: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Frozen: a later version adds no case.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// No answer: no network, no file, no permission.
    case unreachable
    /// The authority is busy.
    case busy
    /// Its data could not be read.
    case unreadable
    /// Its answer has an unknown form.
    case unparsable
    /// It has no space or no permission to write.
    case unwritable
    /// The request was cancelled before the answer.
    case cancelled
    /// It does not offer this, so trying again changes nothing.
    case unsupported
    /// It refused and gave no reason, as also a proxy between may.
    ///
    /// Alone this says nothing about the session. If the refusal of an exchange repeats after a
    /// minute, the error is ``Unavailability/loginNeeded(_:)``.
    case refused
  }

  /// The kind of failure.
  public let cause: Cause
  /// A stable name for programs, in snake case: the authority's own code, or that of the cause.
  public let code: String
  /// What the code is about, such as a path and the words of the system, without secrets.
  ///
  /// Empty where the description says it all.
  public let values: [String]
  /// What happened and why, in one line, without secrets.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String
  /// Whether the authority certainly did not get the request, so that it did not spend a token.
  public let isUnsent: Bool
  /// Whether the request continues in a program that has the lock, and records its answer.
  public let isUnderWay: Bool
  /// How long the authority asks everybody to wait; nil if it does not.
  ///
  /// A vault that other processes share remembers it after an exchange, for all of them.
  package let retryAfter: Duration?

  /// Creates an unavailability.
  public init(
    _ cause: Cause, _ description: String, hint: String = "Try again; nothing was changed.", code: String? = nil,
    values: [String] = [], isUnsent: Bool = false, isUnderWay: Bool = false, retryAfter: Duration? = nil
  ) {
    self.cause = cause
    self.retryAfter = retryAfter
    (self.isUnsent, self.isUnderWay) = (isUnsent, isUnderWay)
    self.code = code ?? cause.code
    self.values = values
    self.description = description
    self.hint = hint
  }
}

extension Unavailability {
  /// The authority renews the session only after a new login.
  ///
  /// The token stays as it is, because a login, or a change at the authority, may lift that.
  ///
  /// - Parameter description: What the authority answered, in one sentence.
  /// - Returns: An unavailability with the code `login_needed`.
  public static func loginNeeded(_ description: String) -> Unavailability {
    Unavailability(.refused, description, hint: "Log in again.", code: "login_needed")
  }
}

extension Unavailability.Cause {
  /// The default code, if the authority has none.
  ///
  /// Scripts read it, so it does not change when a case is renamed.
  package var code: String {
    switch self {
    case .unreachable: "authority_unreachable"
    case .busy: "authority_busy"
    case .unreadable: "authority_unreadable"
    case .refused: "authority_refused"
    case .unparsable: "authority_unparsable"
    case .unwritable: "authority_unwritable"
    case .cancelled: "authority_cancelled"
    case .unsupported: "authority_unsupported"
    }
  }
}

/// Why a request to an authority failed.
///
/// Only ``rejected(_:)`` says something about the credentials or the session.
/// Frozen: a later version adds no case.
public enum AuthorityError<Rejection: Hashable & Sendable>: Error, Hashable, Sendable {
  /// The authority checked and refused.
  case rejected(Rejection)
  /// The authority did not check, because of too many attempts.
  case throttled(Throttle)
  /// The authority is unavailable.
  case unavailable(Unavailability)
}

extension AuthorityError {
  /// The same failure for another operation.
  ///
  /// - Parameter transform: Turns the rejection into that of the other operation.
  /// - Returns: The error.
  public func map<Other>(_ transform: (Rejection) -> Other) -> AuthorityError<Other> {
    switch self {
    case .rejected(let rejection): .rejected(transform(rejection))
    case .throttled(let throttle): .throttled(throttle)
    case .unavailable(let cause): .unavailable(cause)
    }
  }
}
