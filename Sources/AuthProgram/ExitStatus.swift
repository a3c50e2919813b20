import AuthMessages
import CommandLineKit

/// How a run ended, for the program that started it.
///
/// The same with `--json` and `--quiet`.
enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
  /// It was done.
  case done = 0
  /// The answer is no.
  case no = 1
  /// The command line was not understood, or what was entered breaks a rule.
  case usage = 2
  /// Neither yes nor no: something could not be read, written or asked.
  case cannotTell = 3
  /// A session is needed first, or a password entered more recently.
  case logInFirst = 4
  /// The credentials were looked at and not accepted.
  case credentials = 5
  /// Too many attempts: the credentials were not looked at.
  case throttled = 6

  /// What help and the man page say of it.
  var meaning: String {
    switch self {
    case .done: "done, or yes"
    case .no: "no: not logged in, refused, not enough money"
    case .usage: "the command line or the input is not valid; nothing was changed"
    case .cannotTell:
      "cannot tell or cannot save: a file or the database is missing, damaged, busy, full or not permitted"
    case .logInFirst: "log in first, or enter the password again with 'reauth'"
    case .credentials: "wrong name, password or code"
    case .throttled: "too many attempts; the message says when to try again"
    }
  }

  /// The status of a row of the table of errors.
  init(_ row: ErrorRow) { self = ExitStatus(rawValue: row.status.rawValue) ?? .cannotTell }

  /// The status as the command table lists it.
  var declaration: StatusDeclaration {
    StatusDeclaration(code: rawValue, meaning: meaning)
  }
}
