/// A state of the State pattern.
protocol AnsweringState {
  /// The commands that it takes.
  var permitted: CommandSet { get }

  /// Answers an event, every one, and notes in the context where that leads.
  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction
}

extension AnsweringState {
  /// Refuses the command.
  func reject(_ reason: SessionError.Rejection) -> Reaction {
    .rejected(Reaction.Rejection(reason, permitted: permitted))
  }
}
