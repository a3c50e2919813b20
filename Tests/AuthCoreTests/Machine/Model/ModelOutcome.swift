@testable import AuthCore

/// An outcome of a cell, as a row of the table of the machine.
///
/// `auth-cli machine` prints the rows that the exploration found, from a resource that
/// `RECORD_GOLDEN=1` writes.
struct ModelOutcome: Hashable, CustomStringConvertible {
  /// In the order of the rows of a cell.
  private enum Answer: Int { case transition, rejected, ignored }

  let state: SessionState.Kind
  private let command: SessionCommand?
  private let completion: String?
  private let answer: Answer
  /// The next state, or the reason.
  private let detail: String
  private let effects: [Effect.Kind]
  private let permitted: [SessionCommand]

  init(_ state: SessionState, _ event: SessionEvent, _ reaction: Reaction, _ after: SessionState.Kind) {
    (self.state, command) = (state.kind, event.command)
    // Names of commands are slow, so they are found only for the rows.
    completion = command == nil ? event.name : nil
    effects = reaction.effects.map(\.kind)
    switch reaction {
    case .transition: (answer, detail, permitted) = (.transition, after.rawValue, [])
    case .rejected(let reason): (answer, detail, permitted) = (.rejected, reason.rawValue, state.permitted)
    case .ignored(let reason, _): (answer, detail, permitted) = (.ignored, reason.rawValue, [])
    }
  }

  var event: String { command?.name ?? completion ?? "" }

  /// The row, without its example.
  var description: String {
    let items = effects.map(\.rawValue) + permitted.map(\.name)
    let reaction = answer == .transition ? "-> \(detail)" : "\(answer), \(detail)"
    return [state.rawValue, event, reaction, items.joined(separator: ", ")].joined(separator: "\t")
  }

  static let path = "Sources/AuthProgram/Machine/machine.tsv"

  /// The rows by state and event, in declaration order: transitions first, then rejections, then
  /// ignored events; rows without an effect come last.
  static func rows(_ outcomes: [ModelOutcome: String]) -> [String] {
    func rank(_ outcome: ModelOutcome) -> (Int, Int, Int, Int, String) {
      (
        SessionState.Kind.allCases.firstIndex(of: outcome.state) ?? 0, events.firstIndex(of: outcome.event) ?? 0,
        outcome.answer.rawValue, outcome.effects.isEmpty && outcome.permitted.isEmpty ? 1 : 0, outcome.description
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
