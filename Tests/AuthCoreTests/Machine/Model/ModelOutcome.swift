@testable import AuthCore

/// An outcome of a cell, in the form in which the table has it.
struct ModelOutcome: Hashable, CustomStringConvertible {
  let state: SessionState.Kind
  let event: SessionEvent.Kind
  let answer: MachineTable.Answer
  let effects: [Effect.Kind]

  init(_ state: SessionState.Kind, _ event: SessionEvent.Kind, _ reaction: Reaction) {
    self.state = state
    self.event = event
    answer =
      switch reaction {
      case .transition(let transition): .transition(to: transition.to)
      case .rejected(let rejection): .rejected(rejection.reason, permitted: rejection.permitted)
      case .ignored(let reason, _): .ignored(reason)
      }
    effects = reaction.effects.map(\.kind)
  }

  init(_ cell: MachineTable.Cell, _ outcome: MachineTable.Outcome) {
    (state, event, answer, effects) = (cell.state, cell.event, outcome.answer, outcome.effects)
  }

  /// The outcome in the words of the table.
  var description: String {
    let answer =
      switch self.answer {
      case .transition(let to): "-> \(to.rawValue)"
      case .rejected(let reason, let permitted):
        "rejected, \(reason.rawValue); permitted: " + permitted.commands.map(\.rawValue).joined(separator: ", ")
      case .ignored(let reason): "ignored, \(reason.rawValue)"
      }
    return ([state.rawValue, event.rawValue, answer] + effects.map(\.rawValue)).joined(separator: " ")
  }

  /// Every outcome in the table.
  static let all: [ModelOutcome] = MachineTable().cells.flatMap { cell in
    cell.outcomes.map { ModelOutcome(cell, $0) }
  }
}
