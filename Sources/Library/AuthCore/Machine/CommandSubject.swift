/// What a command is about, as its caller named it.
///
/// A command that names a session never applies to another one, such as one that replaced it in the
/// meantime.
package enum CommandSubject: Hashable, Sendable {
  /// Whatever session there is, or may be.
  case anyone
  /// The session that began in the epoch.
  case session(Epoch)
  /// The session of the user.
  case user(UserID)
  /// No session of this machine: the caller had no key, or the key of another store.
  case nobody
  /// The challenge with the token.
  case challenge(SessionToken)

  /// Whether a command about this applies to the session.
  func includes(_ session: SessionRecord) -> Bool {
    switch self {
    case .anyone: true
    case .session(let began): began == session.began
    case .user(let user): user == session.grant.user.id
    case .nobody, .challenge: false
    }
  }

  /// The answer of a state without a session to a command about one: a named session has ended.
  func rejection(_ reason: SessionError.Rejection) -> Reaction {
    switch self {
    case .session, .user: .rejected(.otherSession)
    case .anyone, .nobody, .challenge: .rejected(reason)
    }
  }
}

/// The facts about a caller on which the answer to a command depends.
package struct CommandCaller: Hashable, Sendable {
  /// Whether the caller waits inside a lease, for which the end of a session waits.
  package var isInsideLease = false
  /// The last epoch at the call: later work began after it.
  package var since: Epoch?

  /// A caller that waits outside of leases, or does not wait.
  package static let outside = CommandCaller()
}

extension SessionCommand.OnSession {
  /// Why the command cannot apply to this session, whatever work is under way.
  func rejection(
    _ subject: CommandSubject, _ caller: CommandCaller, during session: SessionRecord
  ) -> SessionError.Rejection? {
    if !subject.includes(session) { return .otherSession }
    // A switch ends the session, and would wait for the caller's lease.
    return self == .switchUser && caller.isInsideLease ? .insideLease : nil
  }
}
