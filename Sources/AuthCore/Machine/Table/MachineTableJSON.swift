extension MachineTable {
  /// The table as one JSON document.
  ///
  /// `states` and `events` are the names; `cells` has one entry for every pair. An entry repeats its first outcome and lists all of them in
  /// `outcomes`. `to` is null unless the answer is a transition, and `reason` is null if it is one; `permitted` is there with a rejection only.
  public var json: String {
    let document = JSON.object([
      ("version", .number(1)),
      ("states", .array(SessionState.Kind.allCases.map { .string($0.rawValue) })),
      ("events", .array(SessionEvent.Kind.allCases.map { .string($0.rawValue) })),
      ("cells", .array(cells.map(\.json))),
    ])
    return document.written() + "\n"
  }
}

extension MachineTable.Cell {
  fileprivate var json: JSON {
    let members = outcomes.first?.members ?? []
    return .object(
      [("state", .string(state.rawValue)), ("event", .string(event.rawValue))] + members
        + [
          (
            "outcomes",
            .array(
              outcomes.map { outcome in
                .object(
                  outcome.members + [
                    (
                      "example",
                      .object([("state", .string(outcome.example.state)), ("event", .string(outcome.example.event))])
                    )
                  ])
              })
          )
        ])
  }
}

extension MachineTable.Outcome {
  fileprivate var members: [(String, JSON)] {
    let effects: (String, JSON) = ("effects", .array(self.effects.map { .string($0.rawValue) }))
    switch answer {
    case .transition(let to):
      return [("answer", .string("transition")), ("to", .string(to.rawValue)), ("reason", .null), effects]
    case .rejected(let reason, let permitted):
      return [
        ("answer", .string("rejected")), ("to", .null), ("reason", .string(reason.rawValue)),
        ("permitted", .array(permitted.commands.map { .string($0.rawValue) })), effects,
      ]
    case .ignored(let reason):
      return [("answer", .string("ignored")), ("to", .null), ("reason", .string(reason.rawValue)), effects]
    }
  }
}

/// As much of JSON (RFC 8259) as the table needs.
///
/// Its strings are names and plain sentences of this library.
private enum JSON {
  case null
  case number(Int)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  /// Arrays of objects and the outermost object take a line for each element, everything else is written in one line.
  func written(_ margin: String = "") -> String {
    switch self {
    case .null: return "null"
    case .number(let number): return String(number)
    case .string(let string): return Self.quoted(string)
    case .array(let elements):
      guard elements.contains(where: \.isObject) else {
        return "[\(elements.map { $0.written() }.joined(separator: ", "))]"
      }
      let inner = margin + "  "
      return "[\n" + elements.map { inner + $0.written(inner) }.joined(separator: ",\n") + "\n\(margin)]"
    case .object(let members):
      let isLong = members.contains { $0.1.isArrayOfObjects }
      let inner = margin + "  "
      let written = members.map { "\(Self.quoted($0.0)): \($0.1.written(inner))" }
      if isLong { return "{\n" + written.map { inner + $0 }.joined(separator: ",\n") + "\n\(margin)}" }
      return "{\(written.joined(separator: ", "))}"
    }
  }

  private var isObject: Bool {
    switch self {
    case .object: true
    case .null, .number, .string, .array: false
    }
  }

  private var isArrayOfObjects: Bool {
    switch self {
    case .array(let elements): elements.contains(where: \.isObject)
    case .null, .number, .string, .object: false
    }
  }

  private static func quoted(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      if scalar == "\"" || scalar == "\\" {
        result += "\\\(scalar)"
      } else if scalar.value < 0x20 {
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
