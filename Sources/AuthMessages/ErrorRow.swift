import AuthBackend
package import AuthCore
import TextFormat

/// A row of the table of errors: what a program says of a code, and its exit status.
package struct ErrorRow: Sendable {
  /// The exit status of a command.
  package let status: ExitStatus
  /// What happened, as a clause; a value of the error takes the place of each `{NAME}`.
  fileprivate let clause: String
  /// What to do, in one line, also with places for values; nil where the error brings both.
  fileprivate let hint: Hint?
  /// What the code means, as a clause.
  package let meaning: String

  /// Whether the row has the message and the hint; an error without the values brings them.
  fileprivate func isWhole(with values: [String]) -> Bool { hint != nil && !(values.isEmpty && clause.contains("{")) }

  /// The message, as a clause, and the hint: with an error's values, in their order, in the places
  /// of the message and then of the hint.
  ///
  /// A value that is missing leaves its name.
  package func filled(_ values: [String]) -> (message: String, hint: Hint) {
    var values = values[...]
    let message = clause.filled(from: &values)
    return (message, (hint ?? "").filled(from: &values))
  }

  /// The row of a code; nil for one of a newer version, of an app's own authority, and of an error
  /// that brings its message.
  package static func of(_ code: String) -> ErrorRow? {
    BackendError.Code(rawValue: code)?.row ?? BackendError.OperatorCode(rawValue: code)?.row
      ?? BackendError.FailureCode(rawValue: code)?.row ?? ErrorCode(rawValue: code)?.row
  }
}

/// A row without its hint.
struct ErrorMessage {
  fileprivate let status: ExitStatus
  fileprivate let clause: String
  fileprivate var meaning: String?

  func hint(_ hint: Hint) -> ErrorRow {
    ErrorRow(status: status, clause: clause, hint: hint, meaning: meaning ?? clause.filled())
  }
}

// Rows by their status: a message, with a meaning where it alone does not say what the code means,
// and then a hint. A row of a meaning is for errors that bring both, because apps without this
// table show them too.
extension ErrorRow {
  static func no(_ clause: String) -> ErrorMessage { ErrorMessage(status: .no, clause: clause) }
  static func usage(_ clause: String) -> ErrorMessage { ErrorMessage(status: .usage, clause: clause) }
  static func credentials(_ clause: String) -> ErrorMessage { ErrorMessage(status: .credentials, clause: clause) }
  static func throttled(_ clause: String) -> ErrorMessage { ErrorMessage(status: .throttled, clause: clause) }

  static func cannotTell(_ clause: String, meaning: String? = nil) -> ErrorMessage {
    ErrorMessage(status: .cannotTell, clause: clause, meaning: meaning)
  }

  static func logInFirst(_ clause: String, meaning: String? = nil) -> ErrorMessage {
    ErrorMessage(status: .logInFirst, clause: clause, meaning: meaning)
  }

  static func usage(meaning: String) -> ErrorRow {
    ErrorRow(status: .usage, clause: meaning, hint: nil, meaning: meaning)
  }

  static func cannotTell(meaning: String) -> ErrorRow {
    ErrorRow(status: .cannotTell, clause: meaning, hint: nil, meaning: meaning)
  }
}

extension Unavailability {
  /// The message of a program, as a clause, and its hint.
  package var words: (message: String, hint: Hint) {
    guard let row = ErrorRow.of(code), row.isWhole(with: values) else { return (description.asClause, Hint(hint)) }
    return row.filled(values)
  }
}

extension String {
  /// The text with values in place of each `{NAME}`.
  func filled(from values: inout ArraySlice<String>) -> String {
    var text = ""
    for (index, part) in split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: "}") else {
        text += part
        continue
      }
      text += values.popFirst() ?? String(part[..<end])
      text += part[part.index(after: end)...]
    }
    return text
  }

  /// The text with each `{NAME}` as a name.
  fileprivate func filled() -> String {
    var none: ArraySlice<String> = []
    return filled(from: &none)
  }
}
