/// A state of the State pattern.
protocol AnsweringState {
  /// The commands that it takes.
  var permitted: SessionCommands { get }

  /// Answers an event, every one, and notes in the turn where that leads.
  func react(to event: SessionEvent, _ turn: inout Turn) -> Reaction
}

extension AnsweringState {
  /// Refuses the command.
  func reject(_ reason: Rejection.Reason) -> Reaction {
    .rejected(Rejection(reason, permitted: permitted))
  }
}
