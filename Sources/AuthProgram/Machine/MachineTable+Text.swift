extension MachineTable {
  /// The table for a terminal: a block for each state, a line for each outcome of an event.
  ///
  /// - Parameter width: The columns of the terminal; long lines break between words, at no less
  ///   than 40 columns.
  /// - Returns: Lines, each with its line ending.
  func text(width: Int) -> String {
    let width = max(40, width)
    var lines: [String] = []
    for state in states {
      if !lines.isEmpty { lines.append("") }
      lines.append(state)
      var last = ""
      for row in rows where row.state == state {
        lines += line(row.event == last ? "" : row.event, row.words, width)
        last = row.event
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// One row, broken into as many lines as the width needs.
  private func line(_ name: String, _ words: [String], _ width: Int) -> [String] {
    let eventColumn = 2 + (events.map(\.count).max() ?? 0) + 2
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

extension MachineTable.Row {
  /// The answer in words; each element stays on one line.
  fileprivate var words: [String] {
    switch answer {
    case .transition where items.isEmpty: ["joined,", "work", "is", "under", "way"]
    case .transition: ["-> \(target):"] + list
    case .rejected: ["rejected,", "\(target);", "permitted:"] + list
    case .ignored: ["ignored,", items.isEmpty ? target : "\(target):"] + list
    }
  }

  private var list: [String] { items.dropLast().map { $0 + "," } + items.suffix(1) }
}
