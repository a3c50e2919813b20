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
  /// Whether the store was released.
  ///
  /// Work under way goes on to its end, but no command is accepted.
  package private(set) var isReleased = false

  /// Creates a machine for a launch: nothing is known yet.
  package init() {}

  /// Creates a machine in a given state, for tests of states that no events lead to.
  init(in state: SessionState, after last: Epoch, isReleased: Bool = false) {
    self.state = state
    lastEpoch = last
    self.isReleased = isReleased
  }

  /// Answers an event and, for a transition, moves to the next state.
  package mutating func handle(_ event: SessionEvent) -> Reaction {
    // Nobody would learn the result of a command, so nobody could wait for its turn either.
    if isReleased, event.command != nil { return .rejected(.storeReleased) }
    return state.content.react(to: event, &self)
  }

  /// Accepts the event: moves to the next state, with these effects.
  mutating func move(_ next: SessionState, _ effects: [Effect]) -> Reaction {
    state = next
    return .transition(effects)
  }

  /// Ends the keys of a session and the challenge that nobody can answer now, because the store was
  /// released.
  mutating func release(
    _ session: SessionRecord?, to next: SessionState? = nil, withdrawing challenge: Challenge? = nil
  ) -> Reaction {
    isReleased = true
    let closing = session.map { [Effect.closeKeys($0.began, .storeReleased)] } ?? []
    let withdrawal = challenge.map { [Effect.withdraw($0), .notify] } ?? []
    return move(next ?? state, closing + withdrawal)
  }

  /// Creates the epoch of new work.
  mutating func nextEpoch() -> Epoch {
    lastEpoch = Epoch(number: lastEpoch.number + 1)
    return lastEpoch
  }
}
