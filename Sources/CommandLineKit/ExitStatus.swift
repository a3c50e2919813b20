/// The exit status of a command.
///
/// It does not depend on `--json` and `--quiet`.
package enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
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
}

extension [Int32] {
  /// These statuses, in this order.
  package static func of(_ statuses: ExitStatus...) -> [Int32] { statuses.map(\.rawValue) }
}
