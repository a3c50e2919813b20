import AuthCore
import TextFormat

extension MachineTable {
  /// The table as one JSON document on one line.
  ///
  /// `states` and `events` are the names; `cells` has one entry for each pair. An entry repeats its
  /// first outcome and lists all of them in `outcomes`. `to` is null unless the answer is a
  /// transition, and then `reason` is null; only a rejection has `permitted`.
  var json: String {
    JSON.document([
      "states": .array(SessionState.Kind.allCases.map { .string($0.rawValue) }),
      "events": .array(SessionEvent.Kind.allCases.map { .string($0.rawValue) }),
      "cells": .array(cells.map(\.json)),
    ]) + "\n"
  }
}

extension MachineTable.Cell {
  fileprivate var json: JSON {
    .object(
      [.init(name: "state", value: .string(state.rawValue)), .init(name: "event", value: .string(event.rawValue))]
        + (outcomes.first?.members ?? [])
        + [.init(name: "outcomes", value: .array(outcomes.map { .object($0.members + [$0.exampleMember]) }))])
  }
}

extension MachineTable.Outcome {
  fileprivate var exampleMember: JSON.Member {
    .init(name: "example", value: ["state": .string(example.state), "event": .string(example.event)])
  }

  fileprivate var members: [JSON.Member] {
    let effects = JSON.array(self.effects.map { .string($0.rawValue) })
    let named: KeyValuePairs<String, JSON> =
      switch answer {
      case .transition(let to):
        ["answer": "transition", "to": .string(to.rawValue), "reason": nil, "effects": effects]
      case .rejected(let reason, let permitted):
        [
          "answer": "rejected", "to": nil, "reason": .string(reason.rawValue),
          "permitted": .array(permitted.commands.map { .string($0.rawValue) }), "effects": effects,
        ]
      case .ignored(let reason):
        ["answer": "ignored", "to": nil, "reason": .string(reason.rawValue), "effects": effects]
      }
    return named.map { .init(name: $0.key, value: $0.value) }
  }
}
