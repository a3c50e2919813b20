/// The session as a pure value: an event in, a reaction out.
///
/// The machine does no work itself. It has no clock, no lock and no reference to an authority or a
/// vault, and it makes no key. A ``SessionStore`` owns one behind a lock and does the work that
/// reactions name. The published State pattern (V. Yanchina, 2016) answers an unknown event with
/// silence; here every state answers every event, in one exhaustive switch per state.
package struct SessionMachine: Hashable, Sendable {
  /// The present state.
  package private(set) var state: SessionState
  /// How often activity may renew.
  package let policy: RenewalPolicy
  private var epochs = EpochCounter()

  /// Creates a machine for a launch: nothing is known yet.
  package init(policy: RenewalPolicy = RenewalPolicy()) {
    state = .restoring(Restoring(reading: nil, obstacle: nil, previously: .neverLoggedIn))
    self.policy = policy
  }

  /// Creates a machine in a given state, for tests of states that events do not lead to.
  init(in state: SessionState, after last: Epoch, policy: RenewalPolicy) {
    self.state = state
    self.policy = policy
    epochs = EpochCounter(last: last)
  }

  /// The last epoch that the machine gave out.
  package var lastEpoch: Epoch { epochs.last }

  /// Answers an event, and moves to the state that the answer names.
  package mutating func handle(_ event: SessionEvent) -> Reaction {
    var context = TransitionContext(from: state.kind, policy: policy, epochs: epochs)
    let reaction = state.react(to: event, &context)
    epochs = context.epochs
    if let next = context.next { state = next }
    return reaction
  }
}

extension Reaction {
  /// Ignores the event; there is nothing to clean up.
  static func ignored(_ reason: IgnoredBecause) -> Reaction { .ignored(reason, .none) }

  /// Answers a late authentication: nothing changes.
  ///
  /// Its grant is revoked, its challenge withdrawn.
  static func fence(_ outcome: SessionEvent.Authenticated) -> Reaction {
    switch outcome {
    case .granted(let late): .ignored(.otherEpoch, Effects(.discard(late)))
    case .challenged(let late): .ignored(.otherEpoch, Effects(.withdraw(late)))
    case .failed: .ignored(.otherEpoch)
    }
  }

  /// Answers a late renewal: nothing changes.
  ///
  /// Its grant is revoked, its challenge withdrawn.
  static func fence(_ outcome: SessionEvent.Renewed) -> Reaction {
    switch outcome {
    case .granted(let late): .ignored(.otherEpoch, Effects(.discard(late)))
    case .challenged(let late): .ignored(.otherEpoch, Effects(.withdraw(late)))
    case .ended, .superseded, .failed: .ignored(.otherEpoch)
    }
  }

  /// Answers a late renewal while a session is active.
  ///
  /// A grant of that session itself is not revoked, because that would end the session. Its token
  /// was not confirmed, so the session's present token still works.
  static func fence(_ outcome: SessionEvent.Renewed, during session: SessionRecord) -> Reaction {
    switch outcome {
    case .granted(let late) where late.began == session.began: .ignored(.otherEpoch)
    case .granted, .challenged, .ended, .superseded, .failed: fence(outcome)
    }
  }

  /// Answers a late write: its token is revoked, and erased if it is in the vault.
  static func fence(_ record: SessionRecord, _ outcome: SessionEvent.Saved) -> Reaction {
    switch outcome {
    case .done: .ignored(.otherEpoch, Effects(.discardSaved(record)))
    case .failed, .superseded: .ignored(.otherEpoch, Effects(.discard(record)))
    }
  }
}
