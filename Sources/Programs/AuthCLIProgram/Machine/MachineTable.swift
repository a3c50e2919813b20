import CommandLineKit
import TextFormat

/// The table of the session machine: the answers to each pair of a state and an event.
///
/// The test that explores the machine writes it to `machine.tsv`, and fails when the two differ.
struct MachineTable: Sendable {
  /// One possible answer of a state to an event; it depends on the content of both.
  struct Row: Sendable {
    let state: String
    let event: String
    let answer: Answer
    /// The state to which a transition leads, or the reason of another answer.
    let target: String
    /// The work that the answer names, in order; the permitted commands when it rejects one.
    let items: [String]
    /// A state and an event with this answer.
    let example: (state: String, event: String)
  }

  enum Answer: String, Sendable {
    case transition = "->"
    case rejected = "rejected,"
    case ignored = "ignored,"
  }

  /// By state and event, in the order of their declaration.
  let rows: [Row]

  /// The table of the machine that this program runs.
  static let shipped = MachineTable(String(decoding: PackageResources.machine_tsv, as: UTF8.self))

  init(_ text: String) {
    rows = text.split(separator: "\n").map(Row.init)
  }

  /// The states, in order.
  var states: [String] { rows.map(\.state).distinct }
  /// The events, in order.
  var events: [String] { rows.map(\.event).distinct }

  /// The events that take the machine from one state to another and do something on the way.
  func events(from: String, to: String) -> [String] {
    rows.filter { $0.state == from && $0.leads(to: to) }.map(\.event).distinct
  }

  /// The transitions as a Mermaid `stateDiagram-v2`: an arrow for each pair of states, with its
  /// events.
  ///
  /// Rejected, joined and ignored events have no arrow.
  var mermaid: [String] {
    var lines = ["stateDiagram-v2", "  [*] --> \(states.first ?? "")"]
    for from in states {
      for to in states {
        let events = events(from: from, to: to)
        if !events.isEmpty { lines.append("  \(from) --> \(to): \(events.joined(separator: ", "))") }
      }
    }
    return lines
  }
}

extension MachineTable.Row {
  fileprivate init(_ line: Substring) {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    (state, event, example) = (columns[0], columns[1], (columns[4], columns[5]))
    let words = columns[2].split(separator: " ").map(String.init)
    (answer, target) = (.init(rawValue: words[0]) ?? .ignored, words[1])
    items = columns[3].split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  fileprivate func leads(to state: String) -> Bool {
    answer == .transition && target == state && !items.isEmpty
  }
}

extension MachineTable {
  /// The table for a terminal: a block for each state, a line for each outcome of an event.
  ///
  /// - Parameter width: The columns of the terminal; long lines break between words, at no less
  ///   than 40 columns.
  /// - Returns: Lines.
  func lines(width: Int) -> [String] {
    let margin = 2 + (events.map(\.count).max() ?? 0) + 2
    var lines: [String] = []
    for state in states {
      if !lines.isEmpty { lines.append("") }
      lines.append(state)
      var last = ""
      for row in rows where row.state == state {
        let head = DisplayWidth.pad(row.event == last ? "" : "  " + row.event, to: margin)
        let indent = String(repeating: " ", count: margin + 2)
        lines += DisplayWidth.split(head + row.words, to: max(40, width), indent: indent)
        last = row.event
      }
    }
    return lines
  }
}

extension MachineTable.Row {
  /// The answer in words.
  fileprivate var words: String {
    let list = items.joined(separator: ", ")
    return switch answer {
    case .transition where items.isEmpty && event == "released": "-> \(target)"
    case .transition where items.isEmpty: "joined, work is under way"
    case .transition: "-> \(target): \(list)"
    case .rejected: "rejected, \(target)" + (items.isEmpty ? "" : "; permitted: \(list)")
    case .ignored: "ignored, " + (items.isEmpty ? target : "\(target): \(list)")
    }
  }
}

extension MachineTable {
  /// The table as one JSON document on one line.
  var json: String { JSON.document(document) + "\n" }

  /// The members of the document after its version.
  ///
  /// `states` and `events` are the names; `cells` has one entry for each pair. An entry repeats its
  /// first outcome and lists all of them in `outcomes`. `to` is null unless the answer is a
  /// transition, and then `reason` is null; only a rejection has `permitted`.
  var document: JSON {
    let cells = states.flatMap { state in
      events.map { event in JSON.cell(rows.filter { $0.state == state && $0.event == event }) }
    }
    return [
      "states": .array(states.map(JSON.string)), "events": .array(events.map(JSON.string)), "cells": .array(cells),
    ]
  }
}

extension JSON {
  fileprivate static func cell(_ rows: [MachineTable.Row]) -> JSON {
    guard let first = rows.first else { return [:] }
    let outcomes = rows.map { row in
      row.document + ["example": ["state": .string(row.example.state), "event": .string(row.example.event)]]
    }
    let place: JSON = ["state": .string(first.state), "event": .string(first.event)]
    return place + first.document + ["outcomes": .array(outcomes)]
  }
}

extension MachineTable.Row {
  fileprivate var document: JSON {
    let (target, list) = (JSON.string(target), JSON.array(items.map(JSON.string)))
    return switch answer {
    case .transition: ["answer": "transition", "to": target, "reason": nil, "effects": list]
    case .rejected: ["answer": "rejected", "to": nil, "reason": target, "permitted": list, "effects": []]
    case .ignored: ["answer": "ignored", "to": nil, "reason": target, "effects": list]
    }
  }
}
