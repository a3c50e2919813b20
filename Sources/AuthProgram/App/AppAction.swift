import AuthBackend
import AuthCore

/// Something that takes time and may be refused: one at a time.
indirect enum AppAction: Sendable {
  case logIn(Credentials)
  case logOut
  case register(Credentials)
  case reauthenticate(Password)
  /// The code that is asked for after a password.
  case answer(Password)
  /// Go on without the code: nothing was done.
  case cancelAnswer
  /// The number tells payments apart: the same number is the same payment, however often it is
  /// sent.
  case pay(amount: Amount, payee: Username, number: Int)
  case rename(String)
  case changePassword(present: Password, new: Password)
  case revoke(SessionID)
  /// Sets a new password with a code, and logs in.
  case recover(username: String, code: Password, new: Password)
  case makeRecoveryCodes
  case beginTwoStep
  case confirmTwoStep(Password)
  case endTwoStep(Password)
  case deleteOwnAccount
  case administer(Administration)

  /// What is going on, while it is.
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
    case .administer: "Changing it"
    }
  }
}

extension CommandError {
  /// The same with what to do on this screen, where its hint names a command.
  var onScreen: CommandError {
    switch code {
    case BackendError.Code.twoStepRequired.rawValue: withHint("Set one up on Home.")
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
