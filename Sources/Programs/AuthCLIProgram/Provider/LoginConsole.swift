import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// Where a login shows its address or code: the terminal, or standard error where there is none,
/// such as in a container.
///
/// Only a terminal can be asked something; a login that waits for the provider alone needs none.
enum LoginConsole: ~Copyable {
  case terminal(Question)
  case errors(Printer)

  /// Opens the terminal, whose echo is off; with `mayLack`, standard error takes its place.
  init(mayLackTerminal mayLack: Bool, _ printer: Printer) throws(CommandError) {
    if mayLack, !Question.hasTerminal {
      self = .errors(printer)
    } else {
      self = .terminal(try Question(for: "login", insteadUse: "it in a terminal", isEchoed: false))
    }
  }

  /// Shows lines for people, which this escapes, or with `--json` a document without a terminal.
  ///
  /// Unlike a note, they also show with `--quiet`: without them, nobody could finish the login.
  borrowing func say(_ lines: [String], _ document: JSON) throws(CommandError) {
    switch self {
    case .terminal(let question): for line in lines { try question.say(line) }
    case .errors(let printer):
      if printer.asJSON {
        printer.streams.errors.writeLine(JSON.document(document))
      } else {
        for line in lines { printer.streams.errors.writeLine(TextEscaping.escape(line)) }
      }
      try printer.streams.errors.flush(survivingClosedPipe: true)
    }
  }

  /// The size of the terminal; nil without one.
  var size: (columns: Int, rows: Int)? {
    switch self {
    case .terminal(let question): question.size
    case .errors: nil
    }
  }

  /// Draws text as it is on a terminal, and nothing elsewhere.
  borrowing func draw(_ text: String) throws(CommandError) {
    switch self {
    case .terminal(let question): try question.show(text)
    case .errors: break
    }
  }

  /// Discards what was typed on a terminal until now, also ^D.
  borrowing func discardTyped() throws(CommandError) {
    switch self {
    case .terminal(let question): _ = try question.wait(for: [], until: .now)
    case .errors: break
    }
  }

  /// Waits until one of the descriptors can be read; what is typed meanwhile has no effect.
  ///
  /// - Returns: The descriptors; none at the deadline, or after a signal.
  borrowing func wait(
    for others: [Int32], until deadline: SuspendingClock.Instant
  ) throws(CommandError) -> [Int32] {
    switch self {
    case .terminal(let question): return try question.wait(for: others, until: deadline)
    case .errors:
      var entries = others.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, nfds_t(entries.count), deadline.remainingMilliseconds) > 0 else { return [] }
      return entries.filter { $0.revents != 0 }.map(\.fd)
    }
  }
}
