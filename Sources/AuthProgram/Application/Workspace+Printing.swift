import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

// What several commands print.

extension Workspace {
  /// The navigation bar, on a terminal.
  func bar(_ title: String) -> [String] {
    let output = printer.streams.output
    guard output.isTerminal else { return [] }
    return [Bar(title: title, bar: NavigationBar(store: store)).line(width: output.width, style: output.style), ""]
  }

  /// The lines of a table, fitted to a terminal.
  func lines(_ table: Table) -> [String] {
    let output = printer.streams.output
    return table.lines(width: output.isTerminal ? output.width : nil)
  }

  /// Names alone, a line each, for completions and scripts.
  func names(_ names: [String]) -> Answer { Answer(.onlyShows, lines: names.map(TextEscaping.escape)) }

  /// The command for the next page: this one, with what shaped its page, and where the next begins.
  func more(_ command: [String], limit: Int) -> Hint {
    "More: \(run: command + (limit == Options.pageLength ? [] : ["--limit", String(limit)]))"
  }

  /// Prints codes, a line each; with `--quiet` too, because the old ones are void and nobody can
  /// see these again.
  func printCodes(_ codes: [RecoveryCode]) {
    guard !printer.asJSON else { return }
    for code in codes { printer.streams.output.writeLine(code.text) }
  }

  /// Prints a one-time code, and says what it is for.
  func issued(_ issued: OneTimeCode, effect: Answer.Effect, notes: [Hint]) -> Answer {
    printCodes([issued.code])
    let until = UTCTime(seconds: WallTime.now().seconds + issued.validFor.wholeSeconds)
    return Answer(
      effect,
      [
        "user": .user(issued.user), "one_time_code": .string(issued.code.text), "valid_until": .string(until.iso8601),
      ],
      notes: notes + [
        "The code works once, within \(issued.validFor.words). It sets a new password:",
        "  \(runByOthers: "recover", issued.user.username)",
      ])
  }

  static let twoStepFirst: Hint =
    "Administrators need a second step. Nothing else works before: \(run: "two-step", "on")"
}

extension IncompleteCleanup {
  /// What a logout could not finish, for the person at the terminal.
  var words: String {
    var parts: [String] = []
    if notRevoked { parts.append("the database was not told") }
    if notErased { parts.append("the session file is still there") }
    if leases > 0 { parts.append("\(leases) \(leases == 1 ? "operation is" : "operations are") still running") }
    return parts.joined(separator: "; ")
  }
}
