/// The one list of the commands that a caller gives to a session and awaits.
///
/// The machine answers each with a transition or a typed rejection; it ignores none.
package enum SessionCommand: Hashable, Sendable, CaseIterable {
  /// Find out at launch whether the saved session is still active.
  case restore
  /// Begin a session with credentials.
  case logIn
  /// A command about the active session.
  case session(OnSession)
  /// Answer a challenge.
  case answer
  /// Cancel a challenge.
  case cancel
  /// End the session.
  case logOut

  /// The commands about the active session.
  ///
  /// A state without a session rejects them all: as `logoutInProgress` while a session ends,
  /// otherwise as `notLoggedIn`, or as `alreadyInProgress` during a login. So a new command changes
  /// only the states that permit it.
  package enum OnSession: String, Hashable, Sendable, CaseIterable {
    /// Begin a session for another user in place of the current one, which continues if that fails.
    case switchUser
    /// Enter the password again.
    case reauthenticate
    /// Report activity.
    case renew
    /// Check the vault and the authority again. This is not activity.
    case check

    /// Whether the command sends credentials: only one such command may be under way.
    var authenticates: Bool {
      switch self {
      case .switchUser, .reauthenticate: true
      case .renew, .check: false
      }
    }
  }

  package static let allCases =
    [.restore, .logIn] + OnSession.allCases.map { SessionCommand.session($0) } + [.answer, .cancel, .logOut]

  package var name: String {
    if case .session(let command) = self { command.rawValue } else { "\(self)" }
  }
}
