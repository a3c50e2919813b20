/// The session as a pure value: an event in, a reaction out.
///
/// The machine does no work itself. It has no clock, no lock and no reference to an authority or a
/// vault, and it creates no key. A ``SessionStore`` owns one behind a lock and does the work that
/// reactions list. The published State pattern (V. Yanchina, 2016) silently ignores an unknown
/// event; here every state answers every event, in one exhaustive switch per state.
package struct SessionMachine: Hashable, Sendable {
  package private(set) var state = SessionState.restoring(
    Restoring(reading: nil, obstacle: nil, previously: .neverLoggedIn, lastKnown: nil))
  /// The last epoch that the machine created.
  package private(set) var lastEpoch = Epoch(number: 0)

  /// Creates a machine for a launch: nothing is known yet.
  package init() {}

  /// Creates a machine in a given state, for tests of states that no events lead to.
  init(in state: SessionState, after last: Epoch) {
    self.state = state
    lastEpoch = last
  }

  /// Answers an event and, for a transition, moves to the next state.
  package mutating func handle(_ event: SessionEvent) -> Reaction {
    state.content.react(to: event, &self)
  }

  /// Accepts the event: moves to the next state, with these effects.
  mutating func move(_ next: SessionState, _ effects: [Effect]) -> Reaction {
    state = next
    return .transition(effects)
  }

  /// Creates the epoch of new work.
  mutating func nextEpoch() -> Epoch {
    lastEpoch = Epoch(number: lastEpoch.number + 1)
    return lastEpoch
  }
}
