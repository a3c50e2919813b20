/// An error with messages for people: what happened, and what to do about it.
///
/// Every error that the library throws or reports conforms to it. An app that shows
/// `localizedDescription` makes each error type a `LocalizedError` with one line of code; see the
/// article *Getting started*.
public protocol ExplainedError: Error, CustomStringConvertible {
  /// What to do about it, in one sentence.
  var hint: String { get }
}

extension ExplainedError {
  /// What happened, in one sentence.
  ///
  /// The errors of the library have specific messages. Implement it for your own types, because
  /// this default contains only the name of the type.
  public var description: String { words.description }
  /// What to do about it, in one sentence; see ``description``.
  public var hint: String { words.hint }

  private var words: ErrorWords {
    (self as? any Worded)?.words ?? ("The operation failed: \(Self.self).", "Try again.")
  }
}

/// The messages of an error.
package typealias ErrorWords = (description: String, hint: String)

/// An error of the package, or a refusal of an authority, with its description and its hint side by
/// side.
package protocol Worded {
  var words: ErrorWords { get }
}

/// The messages of an error of any other type.
private func messages(of error: any Error) -> ErrorWords {
  guard let error = error as? any ExplainedError else { return ("\(error)", "Try again.") }
  return (error.description, error.hint)
}

extension Unavailability: ExplainedError {}
extension VaultError: ExplainedError {}
extension ClockError: ExplainedError {}

extension SessionError: ExplainedError, Worded {}

extension LogoutError: ExplainedError, Worded {
  package var words: ErrorWords {
    switch self {
    case .insideLease: SessionError.insideLease.words
    case .cancelled: SessionError.cancelled.words
    case .timedOut: SessionError.timedOut.words
    }
  }
}

extension Throttle {
  package var words: ErrorWords {
    switch self {
    case .wait(let duration):
      ("There were too many attempts, so this one was not checked.", "Try again in \(duration.inWords).")
    case .locked: ("There were too many attempts: the account is locked.", "Ask an administrator to unlock it.")
    }
  }
}

extension FreshnessError: ExplainedError, Worded {
  package var words: ErrorWords {
    switch self {
    case .passwordNotRecent: ("The password was entered too long ago for this.", "Enter the password again.")
    case .ended(let reason): reason.words
    case .clock(let failure): (failure.description, failure.hint)
    }
  }
}

extension RoleError: ExplainedError, Worded {
  package var words: ErrorWords {
    switch self {
    case .notAdministrator(let user):
      ("The user \(user.username) is not an administrator.", "Ask an administrator to do it.")
    case .ended(let reason): reason.words
    }
  }
}

extension LeaseError: ExplainedError, CustomStringConvertible, Worded {
  package var words: ErrorWords {
    switch self {
    case .ended(let reason): reason.words
    case .body(let error): messages(of: error)
    }
  }
}

extension AccessError: ExplainedError, CustomStringConvertible, Worded {
  package var words: ErrorWords {
    switch self {
    case .session(let error): error.words
    case .body(let error): messages(of: error)
    }
  }
}

extension AccessTokenRefused: ExplainedError, Worded {
  package var words: ErrorWords {
    ("The server did not accept the access token.", "Try again; log in again if this continues.")
  }
}

extension RestoreFailure: ExplainedError, Worded {
  package var words: ErrorWords { SessionError(self).words }
}

extension AuthorityError: ExplainedError, CustomStringConvertible, Worded {
  package var words: ErrorWords {
    switch self {
    case .rejected(let rejection): (rejection as? any Worded)?.words ?? ("Refused.", "Log in.")
    case .throttled(let throttle): throttle.words
    case .unavailable(let cause): (cause.description, cause.hint)
    }
  }
}

extension CredentialsRejection: Worded {
  package var words: ErrorWords {
    switch self {
    case .notAccepted: SessionError.credentialsNotAccepted.words
    case .loginRefused(let refusal): (refusal.description, refusal.hint)
    }
  }
}

extension SessionRejection: Worded {
  package var words: ErrorWords {
    switch self {
    case .ended(let reason): reason.words
    case .superseded: SessionError.overtaken.words
    }
  }
}

extension ReauthenticationRejection: Worded {
  package var words: ErrorWords {
    switch self {
    case .notAccepted: ("The password is wrong.", "Check it, and try again.")
    case .loginRefused(let refusal): (refusal.description, refusal.hint)
    case .session(let rejection): rejection.words
    }
  }
}
