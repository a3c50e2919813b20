/// The answer of the machine to an event.
package enum Reaction: Hashable, Sendable {
  /// The machine accepted the event; do this work, in order. The list is empty when the command
  /// joins work that is under way.
  case transition([Effect])
  /// The state does not permit the command; it permits these. Nothing changed.
  case rejected(SessionError.Rejection, permitted: [SessionCommand])
  /// A completion or a notice that has no meaning in this state. Nothing changed; the effects only
  /// clean up.
  case ignored(IgnoredBecause, [Effect] = [])

  /// The work to do.
  package var effects: [Effect] {
    switch self {
    case .transition(let effects), .ignored(_, let effects): effects
    case .rejected: []
    }
  }

  var isTransition: Bool {
    if case .transition = self { true } else { false }
  }
}

/// Why an event changed nothing.
package enum IgnoredBecause: String, Hashable, Sendable, CaseIterable {
  /// The completion belongs to work that this state did not start or no longer waits for.
  case otherEpoch
  /// The notice is about another session.
  case otherSession
  /// A logout of the session is already under way.
  case alreadyEnding
  /// The session was renewed a moment ago. The machine knows no time: the store says so.
  case renewedRecently
}

// The answers to stale results: nothing changes, and the store cleans up.
extension Reaction {
  /// Answers a stale authentication: the store revokes its grant or withdraws its challenge.
  static func fence(_ outcome: SessionEvent.Authenticated) -> Reaction {
    switch outcome {
    case .granted(let late): .ignored(.otherEpoch, [.discard(late.token)])
    case .challenged(let late): .ignored(.otherEpoch, [.withdraw(late)])
    case .failed: .ignored(.otherEpoch)
    }
  }

  /// Answers a stale renewal: the store revokes its grant or withdraws its challenge.
  ///
  /// The store does not revoke a grant of the active session, because that would end the session.
  /// The token of the grant was not confirmed, so the session's current token still works.
  static func fence(_ outcome: SessionEvent.Renewed, during session: SessionRecord? = nil) -> Reaction {
    switch outcome {
    case .granted(let late):
      if let session, late.isOfSameSession(as: session.grant) {
        .ignored(.otherEpoch)
      } else {
        .ignored(.otherEpoch, [.discard(late.token)])
      }
    case .challenged(let late): .ignored(.otherEpoch, [.withdraw(late)])
    case .ended, .superseded, .failed: .ignored(.otherEpoch)
    }
  }

  /// Answers a stale write: the store revokes its token, and erases it if it is in the vault.
  static func fence(_ token: SessionToken, _ outcome: SessionEvent.Saved) -> Reaction {
    switch outcome {
    case .done: .ignored(.otherEpoch, [.discardSaved(token)])
    case .failed, .superseded: .ignored(.otherEpoch, [.discard(token)])
    }
  }
}
