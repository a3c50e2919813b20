import AuthBackend
import AuthCore

/// A request on its way to a thread that answers it.
struct Job: Sendable {
  enum Question: Sendable {
    case request(BackendRequest)
    case subscribe(SessionToken)
  }

  let connection: Connection
  let id: UInt32
  let question: Question
  let since = ContinuousClock.now
}

extension BackendRequest {
  /// What the service does with it.
  enum Handling: Sendable {
    /// A password is hashed.
    case hashes
    /// It may change what others see.
    case writes
    case reads
    /// People may not ask it.
    case forOperators
  }

  var handling: Handling {
    switch self {
    case .logIn, .reauthenticate, .register, .changePassword, .recover: .hashes
    case .resetPasswordAsOwner: .forOperators
    case .lookUp, .checkUsername, .checkPassword, .checkForLogins, .profile, .twoStep, .twoStepPolicy, .sessions,
      .earlierPayment, .receipts, .events, .accounts, .account, .registration:
      .reads
    case .answer, .resume, .renew, .confirm, .revoke, .rename, .deleteOwnAccount, .makeRecoveryCodes, .resetPassword,
      .beginTwoStep, .confirmTwoStep, .endTwoStep, .setTwoStepPolicy, .revokeSession, .endAllSessions, .pay,
      .setDisabled, .unlock, .setRole, .deleteAccount, .setRegistration, .registerOther, .noteView:
      .writes
    }
  }
}
