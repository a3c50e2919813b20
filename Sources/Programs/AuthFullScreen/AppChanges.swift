package import AuthAccounts
package import AuthCore
package import AuthScreens

/// A change of a user's own account or sessions, which needs a recent password.
package enum OwnChange: Equatable, Sendable {
  case makeRecoveryCodes
  case beginTwoStep
  case confirmTwoStep(Secret)
  case endTwoStep(Secret)
  case revoke(SessionID)
  case revokeOthers
  case deleteAccount

  /// The message while the change runs.
  var progress: String {
    switch self {
    case .makeRecoveryCodes: "Making codes"
    case .beginTwoStep: "Making a secret"
    case .confirmTwoStep, .endTwoStep: "Checking the code"
    case .revoke: "Ending the session"
    case .revokeOthers: "Ending your other sessions"
    case .deleteAccount: "Deleting the account"
    }
  }
}

/// A change by an administrator, which needs a recent password.
package enum Administration: Equatable, Sendable {
  case change(AccountChange, String)
  /// Makes a one-time code for a new password.
  case resetPassword(String)
  case delete(String)
  /// Creates an account for another person, with a one-time code.
  case create(String)
  case registration(Registration)
  case twoStep(TwoStepPolicy)

  /// The question to confirm first; nil for no question.
  var question: String? {
    switch self {
    case .change(.unlock, _), .create, .delete: nil
    case .change(.enable, let name): "Enable \(name)?"
    case .change(.disable, let name): "Disable \(name), and end all its sessions?"
    case .change(.promote, let name): "Make \(name) an administrator?"
    case .change(.demote, let name): "Take the role of administrator away from \(name)?"
    case .resetPassword(let name): "Make a one-time code for \(name)? An earlier code stops working."
    case .registration(.open): "Open the registration? Then everybody may create an account."
    case .registration(.closed): "Close the registration? Then only administrators create accounts."
    case .twoStep(.optional): "Let administrators log in without a second step?"
    case .twoStep(.required):
      "Require a second step of administrators? Without one they can do nothing but set one up."
    }
  }
}
