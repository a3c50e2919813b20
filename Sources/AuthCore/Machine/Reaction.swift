/// How a machine answered an event.
public enum Reaction: Hashable, Sendable {
  /// The event was taken: these are the states before and after, and the work to do.
  case transition(Transition)
  /// A command that this state does not permit. Nothing changed.
  case rejected(Rejection)
  /// A completion or a notice that has nothing to say to this state. Nothing changed; the effects only clean up after it.
  case ignored(IgnoredBecause, Effects)
}

/// One step of the machine.
public struct Transition: Hashable, Sendable {
  /// The state before.
  public let from: SessionState.Kind
  /// The state after; the same kind when only its content changed, or when the command joins work that is under way.
  public let to: SessionState.Kind
  /// The work to do, in order.
  public let effects: Effects

  /// Creates a transition.
  public init(from: SessionState.Kind, to: SessionState.Kind, effects: Effects) {
    self.from = from
    self.to = to
    self.effects = effects
  }
}

/// Why a command was rejected, and which commands are permitted now.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons for which a state does not permit a command.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Nobody is logged in, so there is nothing to renew, check or switch from.
    case notLoggedIn
    /// Somebody is logged in already.
    case alreadyLoggedIn
    /// Nobody is logged in, and nothing is left to clean up.
    case alreadyLoggedOut
    /// A logout could not be finished: finish it, or log in.
    case logoutUnfinished
    /// An authentication is under way, and there is at most one.
    case alreadyInProgress
    /// The session is busy with other work; ask again when that has ended.
    case renewalInProgress
    /// Renewed often enough for this window.
    case renewedRecently
    /// The session is being ended.
    case logoutInProgress
  }

  /// Why it was rejected.
  public let reason: Reason
  /// What is permitted in this state.
  public let permitted: SessionCommands

  /// Creates a rejection.
  public init(_ reason: Reason, permitted: SessionCommands) {
    self.reason = reason
    self.permitted = permitted
  }

  /// The reason and the permitted commands, in words.
  public var description: String {
    "\(reason.rawValue); permitted: \(permitted.commands.map(\.rawValue).joined(separator: ", "))"
  }
}

/// Why an event that nobody awaits was ignored.
public enum IgnoredBecause: String, Hashable, Sendable, CaseIterable {
  /// The completion belongs to work that this state did not start or no longer waits for.
  case otherEpoch
  /// The notice speaks of a session that is not the present one.
  case otherSession
  /// The session it speaks of is being ended already.
  case alreadyEnding
}
