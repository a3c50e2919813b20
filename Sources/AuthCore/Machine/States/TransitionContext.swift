/// What a state needs to answer an event, and where it puts the next state.
///
/// The machine reads the present state in place and builds the next one here, so it copies no
/// state.
struct TransitionContext {
  /// The kind of the present state.
  let from: SessionState.Kind
  /// How often activity may renew.
  let policy: RenewalPolicy
  /// The epochs given out so far.
  private(set) var epochs: EpochCounter
  /// The next state; nil when nothing changes.
  private(set) var next: SessionState?

  init(from: SessionState.Kind, policy: RenewalPolicy, epochs: EpochCounter) {
    self.from = from
    self.policy = policy
    self.epochs = epochs
  }

  /// Accepts the event: moves to the next state, with these effects.
  mutating func move(_ next: consuming SessionState, _ effects: consuming Effects) -> Reaction {
    let to = next.kind
    self.next.fill(with: next)
    return .transition(Transition(from: from, to: to, effects: effects))
  }

  /// Accepts the command: the work is already under way, and the caller joins it.
  func join() -> Reaction {
    .transition(Transition(from: from, to: from, effects: .none))
  }

  /// Gives out the epoch of new work.
  mutating func nextEpoch() -> Epoch {
    epochs.next()
  }
}

extension Optional {
  /// Stores a value in an empty optional, so that the compiler destroys nothing there.
  fileprivate mutating func fill(with value: consuming Wrapped) {
    switch consume self {
    case .none: self = value
    case .some: preconditionFailure("a state answers an event once")
    }
  }
}
