/// Why credentials were refused.
///
/// One case on purpose: unknown name, wrong password and disabled account look alike.
public enum CredentialsRejection: Hashable, Sendable {
  /// The name and the password do not open an account here.
  case notAccepted
}

/// Why a token was refused.
public enum SessionRejection: Hashable, Sendable {
  /// The session is over.
  case ended(EndReason)
  /// The token was exchanged for a newer one, by another process of the same user; the vault may hold it.
  case superseded
}

/// Why a renewed password check was refused.
public enum ReauthenticationRejection: Hashable, Sendable {
  /// The password does not fit. The session is untouched.
  case notAccepted
  /// The session itself is refused.
  case session(SessionRejection)
}

/// Too many attempts: the authority did not look at this one.
public enum Throttle: Hashable, Sendable {
  /// Try again after this time.
  case wait(Duration)
  /// Only an administrator can open the account to attempts again.
  case locked
}

/// The authority could not be asked, or its answer could not be understood.
///
/// It says nothing about the session.
public struct Unavailability: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class of the fault.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// No answer: no network, no file, no permission.
    case unreachable
    /// It answered that it cannot answer now.
    case busy
    /// Its data could not be read.
    case unreadable
    /// Its answer had a form we do not know.
    case unparsable
    /// It has no room or may not write.
    case unwritable
    /// The question was withdrawn before it was answered.
    case cancelled
  }

  /// The class of the fault.
  public let cause: Cause
  /// A stable name for programs, in snake case: the authority's own, or else that of the class.
  public let code: String
  /// What happened and why, in one line, without secrets.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String

  /// Creates an unavailability.
  public init(
    _ cause: Cause, _ description: String, hint: String = "Try again; nothing was changed.", code: String? = nil
  ) {
    self.cause = cause
    self.code = code ?? "authority_\(cause)"
    self.description = description
    self.hint = hint
  }
}

/// Why an authority did not do what was asked.
///
/// Only ``rejected(_:)`` is an answer about the credentials or the session.
public enum AuthorityError<Rejection: Hashable & Sendable>: Error, Hashable, Sendable {
  /// It looked, and said no.
  case rejected(Rejection)
  /// It did not look, because of too many attempts.
  case throttled(Throttle)
  /// It could not be asked.
  case unavailable(Unavailability)
}
