/// The answer of the machine to an event.
package enum Reaction: Hashable, Sendable {
  /// The machine accepted the event: the states before and after, and the work to do.
  case transition(Transition)
  /// The state does not permit the command. Nothing changed.
  case rejected(Rejection)
  /// A completion or a notice without meaning for this state. Nothing changed; the effects only
  /// clean up.
  case ignored(IgnoredBecause, Effects)
}

/// One step of the machine.
package struct Transition: Hashable, Sendable {
  /// The state before.
  package let from: SessionState.Kind
  /// The state after; the same kind when only its content changed, or when the command joins work
  /// that is under way.
  package let to: SessionState.Kind
  /// The work to do, in order.
  package let effects: Effects

  /// Creates a transition.
  package init(from: SessionState.Kind, to: SessionState.Kind, effects: Effects) {
    self.from = from
    self.to = to
    self.effects = effects
  }
}

/// Why the machine ignored an event that nobody awaits.
package enum IgnoredBecause: String, Hashable, Sendable, CaseIterable {
  /// The completion belongs to work that this state did not start or no longer waits for.
  case otherEpoch
  /// The notice is about another session than the present one.
  case otherSession
  /// A logout of its session is already under way.
  case alreadyEnding
}

extension Reaction {
  /// Why a command was rejected, and which commands the state permits.
  package struct Rejection: Hashable, Sendable, CustomStringConvertible {
    /// Why it was rejected.
    package let reason: SessionError.Rejection
    /// The commands that the state permits.
    package let permitted: CommandSet

    /// Creates a rejection.
    package init(_ reason: SessionError.Rejection, permitted: CommandSet) {
      self.reason = reason
      self.permitted = permitted
    }

    /// The reason and the permitted commands, in words.
    package var description: String {
      "\(reason.rawValue); permitted: \(permitted.commands.map(\.rawValue).joined(separator: ", "))"
    }
  }
}
