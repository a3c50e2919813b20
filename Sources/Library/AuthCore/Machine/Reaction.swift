/// The answer of the machine to an event.
package enum Reaction: Hashable, Sendable {
  /// The machine accepted the event; do this work, in order. The list is empty when
  /// nothing is left to do, such as when the command joins work that is under way.
  case transition([Effect])
  /// The state does not permit the command. Nothing changed.
  case rejected(SessionError.Rejection)
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

extension Reaction {
  /// Answers the stale result of earlier work, or a notice about another session: nothing changes,
  /// and the store cleans up.
  ///
  /// It revokes the grant of a stale authentication or renewal, and withdraws its challenge. It
  /// does not revoke a grant of the active session, because that would end the session. The token
  /// of the grant was not confirmed, so the session's current token still works. It revokes the
  /// token of a stale write, and erases it if it is in the vault.
  ///
  /// An earlier answer may have left the challenge open, which is then not withdrawn.
  static func stale(
    _ event: SessionEvent, during session: SessionRecord? = nil, beside challenge: Challenge? = nil
  ) -> Reaction {
    switch event {
    case .answered(_, .challenged(let again)) where again.token == challenge?.token: .ignored(.otherEpoch)
    case .answered(_, .granted(let late)) where session.map { late.isOfSameSession(as: $0.grant) } ?? false:
      .ignored(.otherEpoch)
    case .answered(_, .granted(let late)): .ignored(.otherEpoch, [.discard(late.token)])
    case .answered(_, .challenged(let late)): .ignored(.otherEpoch, [.withdraw(late)])
    case .saved(_, let token, .done): .ignored(.otherEpoch, [.discardSaved(token)])
    case .saved(_, let token, .failed), .saved(_, let token, .superseded): .ignored(.otherEpoch, [.discard(token)])
    case .answered(_, .ended), .answered(_, .superseded), .answered(_, .failed), .recognized, .restored, .drained,
      .revoked, .erased, .timedOut:
      .ignored(.otherEpoch)
    case .limitReached, .ended: .ignored(.otherSession)
    case .command, .released: preconditionFailure("each state answers the commands and the release itself")
    }
  }
}
