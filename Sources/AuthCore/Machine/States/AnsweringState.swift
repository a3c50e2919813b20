/// A state of the State pattern.
protocol AnsweringState {
  /// The commands that the state permits.
  var permitted: [SessionCommand] { get }

  /// Answers any event, and puts the next state into the context.
  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction
}

extension AnsweringState {
  func reject(_ reason: SessionError.Rejection) -> Reaction {
    .rejected(reason, permitted: permitted)
  }
}
