extension MachineTable {
  /// The table for a terminal: a block for each state, a line for each outcome of an event.
  ///
  /// - Parameter width: The columns of the terminal; long lines break between words, at no less
  ///   than 40 columns.
  /// - Returns: Lines, each with its line ending.
  package func text(width: Int) -> String {
    let width = max(40, width)
    var lines: [String] = []
    for state in SessionState.Kind.allCases {
      if !lines.isEmpty { lines.append("") }
      lines.append(state.rawValue)
      for cell in cells where cell.state == state {
        var name = cell.event.rawValue
        for outcome in cell.outcomes {
          lines += Self.row(name, outcome.words, width)
          name = ""
        }
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static let eventColumn = 2 + (SessionEvent.Kind.allCases.map(\.rawValue.count).max() ?? 0) + 2

  /// One row, broken into as many lines as the width needs.
  private static func row(_ name: String, _ words: [String], _ width: Int) -> [String] {
    let margin = String(repeating: " ", count: eventColumn)
    var lines: [String] = []
    var line = "  " + name + String(repeating: " ", count: max(0, eventColumn - 2 - name.count))
    var isEmpty = true
    for word in words {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = margin + "  "
        isEmpty = true
      }
      line += isEmpty ? word : " " + word
      isEmpty = false
    }
    return lines + [line]
  }
}

extension MachineTable.Outcome {
  /// The outcome in words; each element stays on one line.
  fileprivate var words: [String] {
    let effects = self.effects.map(\.rawValue)
    switch answer {
    case .transition(let to):
      if effects.isEmpty { return ["joined,", "work", "is", "under", "way"] }
      return ["-> \(to.rawValue):"] + Self.list(effects)
    case .rejected(let reason, let permitted):
      return ["rejected,", "\(reason.rawValue);", "permitted:"] + Self.list(permitted.commands.map(\.rawValue))
    case .ignored(let reason):
      if effects.isEmpty { return ["ignored,", reason.rawValue] }
      return ["ignored,", "\(reason.rawValue):"] + Self.list(effects)
    }
  }

  private static func list(_ items: [String]) -> [String] {
    items.enumerated().map { $0.offset + 1 < items.count ? $0.element + "," : $0.element }
  }
}
