extension MachineTable {
  /// The transitions as a Mermaid `stateDiagram-v2`: an arrow for each pair of states, with its
  /// events.
  ///
  /// Rejected, joined and ignored events have no arrow.
  package var mermaid: String {
    var lines = ["stateDiagram-v2", "  [*] --> \(SessionMachine().state.kind.rawValue)"]
    for from in SessionState.Kind.allCases {
      for to in SessionState.Kind.allCases {
        let events = events(from: from, to: to).map(\.rawValue)
        if !events.isEmpty { lines.append("  \(from.rawValue) --> \(to.rawValue): \(events.joined(separator: ", "))") }
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The events that take the machine from one state to another and do something on the way.
  package func events(from: SessionState.Kind, to: SessionState.Kind) -> [SessionEvent.Kind] {
    cells.filter { $0.state == from && $0.leads(to: to) }.map(\.event)
  }
}

extension MachineTable.Cell {
  /// Whether an outcome leads to that state with at least one effect.
  fileprivate func leads(to state: SessionState.Kind) -> Bool {
    outcomes.contains { outcome in
      switch outcome.answer {
      case .transition(let to): to == state && !outcome.effects.isEmpty
      case .rejected, .ignored: false
      }
    }
  }
}
