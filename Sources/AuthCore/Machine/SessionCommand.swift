/// The events that somebody awaits.
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

/// A set of commands.
package struct CommandSet: OptionSet, Hashable, Sendable {
  /// One bit per command, in the order of its cases.
  package let rawValue: UInt16

  /// Creates a set from its bits.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Find out at launch whether the saved session is still active.
  package static let restore = CommandSet(rawValue: 1 << 0)
  /// Begin a session with credentials.
  package static let logIn = CommandSet(rawValue: 1 << 1)
  /// Begin a session for another user in place of the present one.
  package static let switchUser = CommandSet(rawValue: 1 << 2)
  /// Enter the password again.
  package static let reauthenticate = CommandSet(rawValue: 1 << 3)
  /// Report activity.
  package static let renew = CommandSet(rawValue: 1 << 4)
  /// Ask the vault and the authority again.
  package static let check = CommandSet(rawValue: 1 << 5)
  /// Answer a challenge.
  package static let answer = CommandSet(rawValue: 1 << 6)
  /// Give up a challenge.
  package static let cancel = CommandSet(rawValue: 1 << 7)
  /// End the session.
  package static let logOut = CommandSet(rawValue: 1 << 8)

  /// The commands in the set, in the order of their declaration.
  package var commands: [SessionCommand] {
    SessionCommand.allCases.enumerated().filter { rawValue & (1 << $0.offset) != 0 }.map(\.element)
  }
}
