package import AuthBackend

/// A row of the table of errors: what a program says of a code.
package struct ErrorRow: Sendable {
  /// The exit status of a command, as both programs have them.
  package enum Status: Int32, Sendable {
    /// A rule or the present state forbids it.
    case no = 1
    /// The command line or the input is not valid.
    case usage = 2
  }

  /// The exit status of a command.
  package let status: Status
  /// What happened, as a clause; the next value of the error takes the place of each `{NAME}`.
  private let clause: String
  /// What to do, in one line.
  package let hint: String
  /// The words of a command of `auth-cli` that ends the hint; empty for none.
  package let command: [String]
  /// Whether somebody else runs the command.
  package let isForOthers: Bool

  init(_ status: Status, _ clause: String, hint: String, run command: [String] = [], isForOthers: Bool = false) {
    self.status = status
    self.clause = clause
    self.hint = hint
    self.command = command
    self.isForOthers = isForOthers
  }

  /// The clause with an error's values; a value that is missing leaves its name.
  package func clause(_ values: [String] = []) -> String {
    var values = values[...]
    var text = ""
    for (index, part) in clause.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: "}") else {
        text += part
        continue
      }
      text += values.popFirst() ?? String(part[..<end])
      text += part[part.index(after: end)...]
    }
    return text
  }

  /// The hint with its command, where nobody named a context.
  package var fullHint: String { command.isEmpty ? hint : "\(hint)auth-cli \(command.joined(separator: " "))" }

  /// The clause as a sentence.
  package func sentence(_ values: [String]) -> String {
    let clause = clause(values)
    return clause.prefix(1).uppercased() + clause.dropFirst() + "."
  }
}

extension BackendError {
  /// What a program says of the code of a rule.
  ///
  /// Nil for every other code, and for one of a newer version.
  package var row: ErrorRow? { Code(rawValue: code)?.row ?? OperatorCode(rawValue: code)?.row }
}
