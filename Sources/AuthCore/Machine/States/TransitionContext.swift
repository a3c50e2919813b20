/// What the machine lends to the state that it asks, and takes back with the answer.
///
/// So the state is read where it lies, and the next one is made beside it: no state is copied.
struct TransitionContext {
  /// The name of the state that is asked.
  let from: SessionState.Kind
  /// How often activity may renew.
  let policy: RenewalPolicy
  /// The epochs that were handed out.
  private(set) var epochs: EpochCounter
  /// The state that the answer leads to; nil when nothing changes.
  private(set) var next: SessionState?

  init(from: SessionState.Kind, policy: RenewalPolicy, epochs: EpochCounter) {
    self.from = from
    self.policy = policy
    self.epochs = epochs
  }

  /// Takes the event: goes there, and asks for this to be done.
  mutating func move(_ next: consuming SessionState, _ effects: consuming Effects) -> Reaction {
    let to = next.kind
    self.next.fill(with: next)
    return .transition(Transition(from: from, to: to, effects: effects))
  }

  /// Takes the command: what it asks for is under way, and its caller waits for that.
  func join() -> Reaction {
    .transition(Transition(from: from, to: from, effects: .none))
  }

  /// Numbers work that is about to start.
  mutating func nextEpoch() -> Epoch {
    epochs.next()
  }
}

extension Optional {
  /// Puts a value where there is none, so that nothing has to be destroyed there.
  fileprivate mutating func fill(with value: consuming Wrapped) {
    switch consume self {
    case .none: self = value
    case .some: preconditionFailure("a state answers an event once")
    }
  }
}
