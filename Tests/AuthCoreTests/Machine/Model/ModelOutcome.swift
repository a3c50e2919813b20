@testable import AuthCore

/// An outcome of a cell, as a row of the table of the machine.
///
/// `auth-cli machine` prints the rows that the exploration found, from a resource that
/// `RECORD_GOLDEN=1` writes.
struct ModelOutcome: Hashable, CustomStringConvertible {
  let state: SessionState.Kind
  let event: String
  private let answer: String
  private let items: [String]

  init(_ state: SessionState.Kind, _ event: SessionEvent, _ reaction: Reaction, _ after: SessionState.Kind) {
    (self.state, self.event) = (state, event.name)
    switch reaction {
    case .transition(let effects): (answer, items) = ("-> \(after.rawValue)", effects.map { "\($0.kind)" })
    case .rejected(let reason, let permitted):
      (answer, items) = ("rejected, \(reason.rawValue)", permitted.map(\.name))
    case .ignored(let reason, let effects):
      (answer, items) = ("ignored, \(reason.rawValue)", effects.map { "\($0.kind)" })
    }
  }

  /// The row, without its example.
  var description: String { [state.rawValue, event, answer, items.joined(separator: ", ")].joined(separator: "\t") }

  static let path = "Sources/AuthProgram/Machine/machine.tsv"

  /// The rows by state and event, in declaration order: transitions first, then rejections, then
  /// ignored events; rows without an effect come last.
  static func rows(_ outcomes: [ModelOutcome: String]) -> [String] {
    let states = SessionState.Kind.allCases.map(\.rawValue)
    func rank(_ outcome: ModelOutcome) -> (Int, Int, Int, Int, String) {
      let answers = ["->", "rejected", "ignored"]
      return (
        states.firstIndex(of: outcome.state.rawValue) ?? 0, events.firstIndex(of: outcome.event) ?? 0,
        answers.firstIndex { outcome.answer.hasPrefix($0) } ?? 0, outcome.items.isEmpty ? 1 : 0, outcome.description
      )
    }
    return outcomes.sorted { rank($0.key) < rank($1.key) }.map { "\($0.key)\t\($0.value)" }
  }

  /// The names of all events, the commands first.
  static let events =
    SessionCommand.allCases.map(\.name) + [
      "recognized", "restored", "authenticated", "renewed", "saved", "drained", "revoked", "erased", "timedOut",
      "limitReached",
      "ended",
    ]
}
