import AuthBackend
import AuthCore
import AuthMessages

/// Work that a person starts: it takes time and may be refused; one runs at a time.
indirect enum AppAction: Equatable, Sendable {
  case logIn(Credentials)
  case logOut
  case register(Credentials)
  case reauthenticate(Secret)
  /// The code that is needed after a password.
  case answer(Secret)
  /// Give up the code: nothing is done.
  case cancelAnswer
  /// The same number is the same payment, however often it is sent.
  case pay(amount: Amount, payee: Username, number: Int)
  case rename(String)
  case changePassword(present: Secret, new: Secret)
  case revoke(SessionID)
  case revokeOthers
  /// Sets a new password with a code, and logs in.
  case recover(username: String, code: Secret, new: Secret)
  case makeRecoveryCodes
  case beginTwoStep
  case confirmTwoStep(Secret)
  case endTwoStep(Secret)
  case deleteOwnAccount
  case administer(Administration)

  /// The words while the action runs.
  var progress: String {
    switch self {
    case .logIn, .reauthenticate: "Checking the password"
    case .answer: "Checking the code"
    case .cancelAnswer: "Going back"
    case .logOut: "Logging out"
    case .register: "Creating the account"
    case .pay: "Paying"
    case .rename: "Changing the name"
    case .changePassword, .recover: "Changing the password"
    case .makeRecoveryCodes: "Making codes"
    case .beginTwoStep: "Making a secret"
    case .confirmTwoStep, .endTwoStep: "Checking the code"
    case .deleteOwnAccount: "Deleting the account"
    case .revoke: "Ending the session"
    case .revokeOthers: "Ending your other sessions"
    case .administer: "Changing it"
    }
  }
}

extension CommandError {
  /// The same error with a hint for this screen, if its own hint names a command.
  var onScreen: CommandError {
    switch code {
    case BackendError.Code.twoStepRequired.rawValue: withHint("Set one up on Home.")
    case BackendError.FailureCode.databaseMissing.rawValue: withHint("Press Esc, and create the first account.")
    case ErrorCode.locked.rawValue:
      withHint("Press Ctrl-R in the login to use a recovery code, or ask an administrator to unlock the account.")
    case _: self
    }
  }

  /// The message, which is a clause, as a sentence of its own.
  var sentence: String {
    guard let first = message.first, let last = message.last else { return message }
    return first.uppercased() + message.dropFirst() + (".!?".contains(last) ? "" : ".")
  }
}
