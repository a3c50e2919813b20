import TextFormat

extension MachineTable {
  /// The table as one JSON document on one line.
  ///
  /// `states` and `events` are the names; `cells` has one entry for each pair. An entry repeats its
  /// first outcome and lists all of them in `outcomes`. `to` is null unless the answer is a
  /// transition, and then `reason` is null; only a rejection has `permitted`.
  var json: String {
    let cells = states.flatMap { state in
      events.map { event in JSON.cell(rows.filter { $0.state == state && $0.event == event }) }
    }
    return JSON.document([
      "states": .array(states.map { .string($0) }),
      "events": .array(events.map { .string($0) }),
      "cells": .array(cells),
    ]) + "\n"
  }
}

extension JSON {
  fileprivate static func cell(_ rows: [MachineTable.Row]) -> JSON {
    guard let first = rows.first else { return .object([]) }
    return .object(
      [.init(name: "state", value: .string(first.state)), .init(name: "event", value: .string(first.event))]
        + first.members
        + [.init(name: "outcomes", value: .array(rows.map { .object($0.members + [$0.exampleMember]) }))])
  }
}

extension MachineTable.Row {
  fileprivate var exampleMember: JSON.Member {
    .init(name: "example", value: ["state": .string(example.state), "event": .string(example.event)])
  }

  fileprivate var members: [JSON.Member] {
    let (target, list) = (JSON.string(target), JSON.array(items.map { .string($0) }))
    let named: KeyValuePairs<String, JSON> =
      switch answer {
      case .transition: ["answer": "transition", "to": target, "reason": nil, "effects": list]
      case .rejected: ["answer": "rejected", "to": nil, "reason": target, "permitted": list, "effects": []]
      case .ignored: ["answer": "ignored", "to": nil, "reason": target, "effects": list]
      }
    return named.map { .init(name: $0.key, value: $0.value) }
  }
}
