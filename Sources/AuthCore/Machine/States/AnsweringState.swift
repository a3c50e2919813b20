/// A state of the State pattern.
protocol AnsweringState {
  /// Answers any event, and puts the next state into the context.
  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction
}
