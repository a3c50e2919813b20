/// The events that somebody awaits.
///
/// Each is answered with a transition or a typed rejection, never ignored.
public enum SessionCommand: String, Hashable, Sendable, CaseIterable {
  /// Find out at launch whether a kept session still stands.
  case restore
  /// Begin a session with credentials.
  case logIn
  /// Begin a session for another user in place of the present one, which stays if that fails.
  case switchUser
  /// Enter the password again.
  case reauthenticate
  /// Report activity.
  case renew
  /// Look again: at the vault, then at the authority. Not activity.
  case check
  /// End the session.
  case logOut
}

/// A set of commands: those that a state permits.
public struct SessionCommands: OptionSet, Hashable, Sendable {
  /// One bit per command, in the order of its cases.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Find out at launch whether a kept session still stands.
  public static let restore = SessionCommands(rawValue: 1 << 0)
  /// Begin a session with credentials.
  public static let logIn = SessionCommands(rawValue: 1 << 1)
  /// Begin a session for another user in place of the present one.
  public static let switchUser = SessionCommands(rawValue: 1 << 2)
  /// Enter the password again.
  public static let reauthenticate = SessionCommands(rawValue: 1 << 3)
  /// Report activity.
  public static let renew = SessionCommands(rawValue: 1 << 4)
  /// Look again at the vault and the authority.
  public static let check = SessionCommands(rawValue: 1 << 5)
  /// End the session.
  public static let logOut = SessionCommands(rawValue: 1 << 6)

  /// The commands in the set, in the order of their declaration.
  public var commands: [SessionCommand] {
    SessionCommand.allCases.enumerated().filter { rawValue & (1 << $0.offset) != 0 }.map(\.element)
  }
}
