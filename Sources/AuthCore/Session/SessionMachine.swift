/// The session as a pure value: an event in, a reaction out.
///
/// It does nothing itself. It has no clock, no lock, no reference to an authority or a vault, and makes no key; a ``SessionStore``
/// owns one behind a lock and does the work that reactions name. The published State pattern (V. Yanchina, 2016) answers an unknown event
/// with silence; here every state answers every event, in one exhaustive switch per state.
public struct SessionMachine: Hashable, Sendable {
  /// The present state.
  public private(set) var state: SessionState
  /// How often activity may renew.
  public let policy: RenewalPolicy
  private var epochs = EpochCounter()

  /// Creates a machine at launch: nothing is known yet.
  public init(policy: RenewalPolicy = RenewalPolicy()) {
    state = .restoring(Restoring())
    self.policy = policy
  }

  /// Creates a machine that stands in a state already, for a test that wants one which events do not lead to.
  init(in state: SessionState, after last: Epoch, policy: RenewalPolicy) {
    self.state = state
    self.policy = policy
    epochs = EpochCounter(last: last)
  }

  /// The epoch handed out last.
  public var lastEpoch: Epoch { epochs.last }

  /// Answers an event, and moves to the state that the answer names.
  public mutating func handle(_ event: SessionEvent) -> Reaction {
    switch state {
    case .restoring(let state): conclude(.restoring, state.react(to: event, &epochs))
    case .loggedOut(let state): conclude(.loggedOut, state.react(to: event, &epochs))
    case .authenticating(let state): conclude(.authenticating, state.react(to: event, &epochs))
    case .loggedIn(let state): conclude(.loggedIn, state.react(to: event, &epochs, policy))
    case .renewing(let state): conclude(.renewing, state.react(to: event, &epochs))
    case .loggingOut(let state): conclude(.loggingOut, state.react(to: event, &epochs))
    }
  }

  private mutating func conclude(_ from: SessionState.Kind, _ step: Step) -> Reaction {
    switch step {
    case .move(let next, let effects):
      state = next
      return .transition(Transition(from: from, to: next.kind, effects: effects))
    case .join:
      return .transition(Transition(from: from, to: from, effects: .none))
    case .reject(let reason):
      return .rejected(Rejection(reason, permitted: state.permitted))
    case .ignore(let reason, let cleanup):
      return .ignored(reason, cleanup)
    }
  }
}

/// What a state says to an event; the machine makes a ``Reaction`` of it.
enum Step {
  /// Take the event: go there, and do this.
  case move(SessionState, Effects)
  /// Take the command: what it asks for is under way, and its caller waits for that.
  case join
  /// Refuse the command.
  case reject(Rejection.Reason)
  /// Take no notice, but clean up.
  case ignore(IgnoredBecause, Effects)

  /// Takes no notice, and there is nothing to clean up.
  static func ignore(_ reason: IgnoredBecause) -> Step { .ignore(reason, .none) }

  /// Answers a late authentication: nothing changes here, and what it brought is revoked.
  static func fence(_ outcome: SessionEvent.Authenticated) -> Step {
    switch outcome {
    case .granted(let late): .ignore(.otherEpoch, Effects(.discard(late)))
    case .failed: .ignore(.otherEpoch)
    }
  }

  /// Answers a late renewal: nothing changes here, and what it brought is revoked.
  static func fence(_ outcome: SessionEvent.Renewed) -> Step {
    switch outcome {
    case .granted(let late): .ignore(.otherEpoch, Effects(.discard(late)))
    case .ended, .superseded, .failed: .ignore(.otherEpoch)
    }
  }

  /// Answers a late write: what landed in the vault is revoked and erased from it.
  static func fence(_ record: SessionRecord, _ outcome: SessionEvent.Saved) -> Step {
    switch outcome {
    case .done: .ignore(.otherEpoch, Effects(.discardSaved(record)))
    case .failed, .superseded: .ignore(.otherEpoch, Effects(.discard(record)))
    }
  }
}
