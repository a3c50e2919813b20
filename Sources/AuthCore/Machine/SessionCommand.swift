/// What somebody asks of a session and awaits: the one list of the commands.
///
/// The answer to each is a transition or a typed rejection; the machine ignores none.
package enum SessionCommand: String, Hashable, Sendable, CaseIterable {
  /// Find out at launch whether the saved session is still active.
  case restore
  /// Begin a session with credentials.
  case logIn
  /// Begin a session for another user in place of the present one, which goes on if that fails.
  case switchUser
  /// Enter the password again.
  case reauthenticate
  /// Report activity.
  case renew
  /// Ask the vault and the authority again. This is not activity.
  case check
  /// Answer a challenge.
  case answer
  /// Give up a challenge.
  case cancel
  /// End the session.
  case logOut
}
