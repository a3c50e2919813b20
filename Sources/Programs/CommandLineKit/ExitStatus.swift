/// The exit status of a command.
///
/// A program adds its own. None depends on the options for output.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The command did what was asked, or its answer is yes.
  package static let done = ExitStatus(rawValue: 0)
  /// The command line was not understood, or what was entered breaks a rule.
  package static let usage = ExitStatus(rawValue: 2)
  /// Neither yes nor no: something could not be read, written or asked.
  package static let cannotTell = ExitStatus(rawValue: 3)
}

extension [Int32] {
  /// These statuses, in this order.
  package static func of(_ statuses: ExitStatus...) -> [Int32] { statuses.map(\.rawValue) }
}
