import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// Where a login shows its address or code: the terminal, or standard error where there is none,
/// such as in a container.
///
/// Only a terminal can be asked something; a login that waits for the provider alone needs none.
enum LoginConsole: ~Copyable {
  case terminal(Prompt)
  case errors(CommandOutput)

  /// Opens the terminal, whose echo is off; with `mayLack`, standard error takes its place.
  init(mayLackTerminal mayLack: Bool, _ output: CommandOutput) throws(CommandError) {
    if mayLack, !Prompt.hasTerminal {
      self = .errors(output)
    } else {
      self = .terminal(try Prompt(for: "login", insteadUse: "it in a terminal", isEchoed: false))
    }
  }

  /// Shows lines for people, which this escapes, or with `--json` a document without a terminal.
  ///
  /// Unlike a note, they also show with `--quiet`: without them, nobody could finish the login.
  borrowing func say(_ lines: [String], _ document: JSON) throws(CommandError) {
    switch self {
    case .terminal(let prompt): for line in lines { try prompt.say(line) }
    case .errors(let output):
      if output.asJSON {
        output.streams.errors.writeLine(JSON.document(document))
      } else {
        for line in lines { output.streams.errors.writeLine(TextEscaping.escape(line)) }
      }
      try output.streams.errors.flush(survivingClosedPipe: true)
    }
  }

  /// The size of the terminal; nil without one.
  var size: (columns: Int, rows: Int)? {
    switch self {
    case .terminal(let prompt): prompt.size
    case .errors: nil
    }
  }

  /// Draws text as it is on a terminal, and nothing elsewhere.
  borrowing func draw(_ text: String) throws(CommandError) {
    switch self {
    case .terminal(let prompt): try prompt.show(text)
    case .errors: break
    }
  }

  /// Discards what was typed on a terminal until now, also ^D.
  borrowing func discardTyped() throws(CommandError) {
    switch self {
    case .terminal(let prompt): _ = try prompt.wait(for: [], until: .now)
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
    case .terminal(let prompt): return try prompt.wait(for: others, until: deadline)
    case .errors:
      var entries = others.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, nfds_t(entries.count), deadline.remainingMilliseconds) > 0 else { return [] }
      return entries.filter { $0.revents != 0 }.map(\.fd)
    }
  }
}
