package import AuthCore
import TextFormat

/// A stable code, with its class, its message and its hint.
///
/// The values of an error replace the placeholders `{NAME}` in order, first in the message, then in
/// the hint.
package struct ErrorText: Sendable {
  /// The class of an error with this code.
  package enum Kind: Hashable, Sendable {
    case refused
    case invalid
    case failed(Unavailability.Cause)
  }

  package let kind: Kind
  /// The stable name for programs, in snake case.
  package let code: String
  /// What happened, as a clause.
  package let clause: String
  /// What the code means, as a clause; nil for what the message says without its values.
  private let ownMeaning: String?
  /// What to do, in one line.
  package private(set) var hint = ""

  private init(_ kind: Kind, _ code: String, _ clause: String, meaning: String? = nil) {
    (self.kind, self.code, self.clause, ownMeaning) = (kind, code, clause, meaning)
  }

  /// What the code means, as a clause.
  package var meaning: String { ownMeaning ?? clause.filled() }

  static func refused(_ code: String, _ clause: String) -> ErrorText { ErrorText(.refused, code, clause) }
  static func invalid(_ code: String, _ clause: String) -> ErrorText { ErrorText(.invalid, code, clause) }
  static func unreachable(_ code: String, _ clause: String) -> ErrorText { failed(.unreachable, code, clause) }
  static func busy(_ code: String, _ clause: String) -> ErrorText { failed(.busy, code, clause) }
  static func unreadable(_ code: String, _ clause: String) -> ErrorText { failed(.unreadable, code, clause) }
  static func unparsable(_ code: String, _ clause: String) -> ErrorText { failed(.unparsable, code, clause) }
  static func unwritable(_ code: String, _ clause: String) -> ErrorText { failed(.unwritable, code, clause) }

  static func failed(
    _ cause: Unavailability.Cause, _ code: String, _ clause: String, meaning: String? = nil
  ) -> ErrorText {
    ErrorText(.failed(cause), code, clause, meaning: meaning)
  }

  func hint(_ hint: String) -> ErrorText {
    var text = self
    text.hint = hint
    return text
  }

  /// The message and the hint, as sentences with these values.
  func words(_ values: [String]) -> ErrorWords {
    var values = values[...]
    return (clause.filled(from: &values).asSentence, hint.filled(from: &values))
  }

  /// This text for an error with these values; nil for an error that comes without the values of
  /// its message: a service keeps them from its clients.
  func text(for values: [String]) -> ErrorText? { values.isEmpty && clause.contains("{") ? nil : self }

  /// The text of a code for an error with these values.
  ///
  /// Nil for a code of a newer version or of an app's own authority, and where ``text(for:)`` is.
  package static func of(_ code: String, for values: [String]) -> ErrorText? {
    let text =
      BackendError.Code.named(code)?.text ?? BackendError.OperatorCode.named(code)?.text
      ?? BackendError.FailureCode.named(code)?.text
    return text?.text(for: values)
  }
}

/// A list of codes, each with its text.
package protocol ErrorCodeList: CaseIterable, Hashable, Sendable {
  var text: ErrorText { get }
}

extension ErrorCodeList {
  package var rawValue: String { text.code }

  package static func named(_ code: String) -> Self? { allCases.first { $0.text.code == code } }
}
