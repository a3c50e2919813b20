/// The one list of the commands that a caller gives to a session and awaits.
///
/// The machine answers each with a transition or a typed rejection; it ignores none.
package enum SessionCommand: String, Hashable, Sendable, CaseIterable {
  /// Find out at launch whether the saved session is still active.
  case restore
  /// Begin a session with credentials.
  case logIn
  /// Begin a session for another user in place of the current one, which continues if that fails.
  case switchUser
  /// Enter the password again.
  case reauthenticate
  /// Report activity.
  case renew
  /// Check the vault and the authority again. This is not activity.
  case check
  /// Answer a challenge.
  case answer
  /// Cancel a challenge.
  case cancel
  /// End the session.
  case logOut
}
