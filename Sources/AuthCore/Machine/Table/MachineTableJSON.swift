extension MachineTable {
  /// The table as one JSON document on one line.
  ///
  /// `states` and `events` are the names; `cells` has one entry for each pair. An entry repeats its
  /// first outcome and lists all of them in `outcomes`. `to` is null unless the answer is a
  /// transition, and then `reason` is null; only a rejection has `permitted`.
  package var json: String {
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

  /// The value on one line, without blanks.
  func written() -> String {
    switch self {
    case .null: "null"
    case .number(let number): String(number)
    case .string(let string): Self.quoted(string)
    case .array(let elements): "[\(elements.map { $0.written() }.joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.0)):\($0.1.written())" }.joined(separator: ","))}"
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
