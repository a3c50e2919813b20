/// A state of the State pattern.
protocol MachineState {
  /// Answers any event, and moves the machine to the next state.
  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction
}

extension MachineState {
  /// A copy of the state with a change.
  func with(_ change: (inout Self) -> Void) -> Self {
    var next = self
    change(&next)
    return next
  }
}
