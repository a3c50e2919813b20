@testable import AuthCore

/// An outcome of a cell, as a row of the table of the machine.
///
/// `auth-cli machine` prints the rows that the exploration found, from a resource that
/// `RECORD_GOLDEN=1` writes.
struct ModelOutcome: Hashable, CustomStringConvertible {
  /// In the order of the rows of a cell.
  private enum Answer: Int { case transition, rejected, ignored }

  let state: SessionState.Kind
  let event: String
  private let answer: Answer
  /// The next state, or the reason.
  private let detail: String
  /// The effects, or the permitted commands.
  private let items: [String]

  init(_ state: SessionState, _ event: SessionEvent, _ reaction: Reaction, _ after: SessionState.Kind) {
    (self.state, self.event) = (state.kind, event.command.flatMap { Self.names[$0] } ?? event.name)
    switch reaction {
    case .transition(let effects): (answer, detail, items) = (.transition, after.rawValue, effects.map(\.kind.rawValue))
    case .rejected(let reason):
      // After its release, a store permits nothing.
      let permitted = reason == .storeReleased ? [] : state.permitted.compactMap { Self.names[$0] }
      (answer, detail, items) = (.rejected, reason.kind.rawValue, permitted)
    case .ignored(let reason, let effects):
      (answer, detail, items) = (.ignored, reason.rawValue, effects.map(\.kind.rawValue))
    }
  }

  /// The names of commands, which are too slow to find for each outcome.
  private static let names = Dictionary(uniqueKeysWithValues: SessionCommand.allCases.map { ($0, $0.name) })

  /// The row, without its example.
  var description: String {
    let reaction = answer == .transition ? "-> \(detail)" : "\(answer), \(detail)"
    return [state.rawValue, event, reaction, items.joined(separator: ", ")].joined(separator: "\t")
  }

  static let path = "Sources/Programs/AuthCLIProgram/Machine/machine.tsv"

  /// The rows by state and event, in declaration order: transitions first, then rejections, then
  /// ignored events; rows without an effect come last.
  static func rows(_ outcomes: [ModelOutcome: String]) -> [String] {
    func rank(_ outcome: ModelOutcome) -> (Int, Int, Int, Int, String) {
      (
        SessionState.Kind.allCases.firstIndex(of: outcome.state) ?? 0, events.firstIndex(of: outcome.event) ?? 0,
        outcome.answer.rawValue, outcome.items.isEmpty ? 1 : 0, outcome.description
      )
    }
    return outcomes.sorted { rank($0.key) < rank($1.key) }.map { "\($0.key)\t\($0.value)" }
  }

  /// The names of all events, the commands first.
  static let events =
    SessionCommand.allCases.map(\.name) + [
      "recognized", "restored", "answered", "saved", "drained", "revoked", "erased", "timedOut", "limitReached",
      "ended", "released",
    ]
}
