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
    (self as? any WordedError)?.words ?? ErrorWords("The operation failed: \(Self.self).", hint: "Try again.")
  }
}

/// The messages of an error.
package struct ErrorWords {
  let description: String
  let hint: String

  package init(_ description: String, hint: String) {
    self.description = description
    self.hint = hint
  }

  /// Creates the messages for an error of any other type.
  package init(_ error: any Error) {
    if let error = error as? any ExplainedError {
      self.init(error.description, hint: error.hint)
    } else {
      self.init("\(error)", hint: "Try again.")
    }
  }
}

/// An error of the package with its description and its hint side by side.
package protocol WordedError: ExplainedError {
  var words: ErrorWords { get }
}

extension Unavailability: ExplainedError {}
extension VaultError: ExplainedError {}
extension ClockError: ExplainedError {}

extension SessionError: WordedError {
  package var words: ErrorWords {
    switch self {
    case .rejected(let reason): reason.words
    case .credentialsNotAccepted:
      ErrorWords("The user name or the password is wrong.", hint: "Check both, and try again.")
    case .throttled(let throttle): throttle.words
    case .unavailable(let cause): ErrorWords(cause)
    case .notSaved(let failure), .vault(let failure): ErrorWords(failure)
    case .corrupt(let evidence): ErrorWords(evidence.description, hint: evidence.hint)
    case .ended(let reason): reason.words
    case .overtaken:
      ErrorWords(
        "Another process changed the session at the same time.", hint: "Look who is logged in, then try again.")
    case .clock(let failure): ErrorWords(failure)
    case .insideLease: .insideLease
    case .cancelled: .cancelled
    }
  }
}

extension SessionError.Rejection {
  fileprivate var words: ErrorWords {
    switch self {
    case .notLoggedIn: ErrorWords("Nobody is logged in.", hint: "Log in.")
    case .alreadyLoggedIn: ErrorWords("Somebody is logged in already.", hint: "Log out first.")
    case .challengeOver: ErrorWords("The second step is over.", hint: "Log in again.")
    case .logoutUnfinished: ErrorWords("The last logout could not finish.", hint: "Log out again, or log in.")
    case .renewalsFailed:
      ErrorWords("Activity could not be reported, and it is too soon to try again.", hint: "Try again later.")
    case .alreadyInProgress, .renewalInProgress, .logoutInProgress:
      ErrorWords("The session is busy with another request.", hint: "Try again; nothing was changed.")
    }
  }
}

extension LogoutError: WordedError {
  package var words: ErrorWords {
    switch self {
    case .insideLease: .insideLease
    case .cancelled: .cancelled
    }
  }
}

extension ErrorWords {
  fileprivate static var insideLease: ErrorWords {
    ErrorWords("The command was given inside a lease, and would wait for that lease.", hint: "Leave the lease first.")
  }
  fileprivate static var cancelled: ErrorWords {
    ErrorWords("Nobody waits for the answer any more, and the work goes on.", hint: "Look who is logged in.")
  }
}

extension Throttle {
  package var words: ErrorWords {
    switch self {
    case .wait(let duration):
      return ErrorWords(
        "There were too many attempts, so this one was not checked.", hint: "Try again in \(duration.inWords).")
    case .locked:
      return ErrorWords(
        "There were too many attempts: the account is locked.", hint: "Ask an administrator to unlock it.")
    }
  }
}

extension EndReason {
  fileprivate var words: ErrorWords {
    switch self {
    case .accountDisabled: ErrorWords(description, hint: "Ask an administrator to enable the account.")
    case .accountDeleted: ErrorWords(description, hint: "Log in with another account.")
    case .userAsked, .expired, .revoked, .rebooted, .switchedUser, .storeReleased:
      ErrorWords(description, hint: "Log in again.")
    }
  }
}

extension FreshnessError: WordedError {
  package var words: ErrorWords {
    switch self {
    case .passwordNotRecent:
      ErrorWords("The password was entered too long ago for this.", hint: "Enter the password again.")
    case .ended(let reason): reason.words
    case .clock(let failure): ErrorWords(failure)
    }
  }
}

extension RoleError: WordedError {
  package var words: ErrorWords {
    switch self {
    case .notAdministrator(let user):
      ErrorWords("The user \(user.username) is not an administrator.", hint: "Ask an administrator to do it.")
    case .ended(let reason): reason.words
    }
  }
}

extension LeaseError: ExplainedError, CustomStringConvertible, WordedError {
  package var words: ErrorWords {
    switch self {
    case .ended(let reason): reason.words
    case .body(let error): ErrorWords(error)
    }
  }
}

extension AccessError: ExplainedError, CustomStringConvertible, WordedError {
  package var words: ErrorWords {
    switch self {
    case .session(let error): error.words
    case .body(let error): ErrorWords(error)
    }
  }
}

extension AccessTokenRefused: WordedError {
  package var words: ErrorWords {
    ErrorWords("The server did not accept the access token.", hint: "Try again; log in again if this continues.")
  }
}

extension RestoreFailure: WordedError {
  package var words: ErrorWords {
    switch self {
    case .vault(let failure): ErrorWords(failure)
    case .corrupt(let evidence): ErrorWords(evidence.description, hint: evidence.hint)
    case .authority(let cause): ErrorWords(cause)
    }
  }
}

extension AuthorityError: ExplainedError, CustomStringConvertible, WordedError {
  package var words: ErrorWords {
    switch self {
    case .rejected(let rejection): (rejection as? any WordedRejection)?.words ?? ErrorWords("Refused.", hint: "Log in.")
    case .throttled(let throttle): throttle.words
    case .unavailable(let cause): ErrorWords(cause)
    }
  }
}

/// A refusal of an authority, with its messages.
package protocol WordedRejection {
  var words: ErrorWords { get }
}

extension CredentialsRejection: WordedRejection {
  package var words: ErrorWords {
    switch self {
    case .notAccepted: SessionError.credentialsNotAccepted.words
    }
  }
}

extension SessionRejection: WordedRejection {
  package var words: ErrorWords {
    switch self {
    case .ended(let reason): reason.words
    case .superseded: SessionError.overtaken.words
    }
  }
}

extension ReauthenticationRejection: WordedRejection {
  package var words: ErrorWords {
    switch self {
    case .notAccepted: ErrorWords("The password is wrong.", hint: "Check it, and try again.")
    case .session(let rejection): rejection.words
    }
  }
}
