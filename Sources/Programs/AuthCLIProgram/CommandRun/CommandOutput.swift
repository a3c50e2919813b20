import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// The output of a command: data on standard output, everything else on standard error.
struct CommandOutput {
  let streams: Streams
  let asJSON: Bool
  let isQuiet: Bool
  /// The options that chose the context, for the commands of hints.
  var choice: [String] = []

  /// Prints a result, and returns the status to end with: a result that could not be printed is
  /// not a success.
  func print(_ result: CommandResult) -> ExitStatus {
    let document = asJSON ? result.document() : [:]
    if document != [:] { writeDocument(document) }
    do throws(CommandError) { try show(result) } catch { return refuse(error) }
    return result.status
  }

  /// Prints the text of a result immediately, because a question may follow it.
  func show(_ result: CommandResult) throws(CommandError) {
    if !asJSON {
      streams.output.write(result.text)
      for line in isQuiet ? [] : result.lines { streams.output.writeLine(line) }
    }
    try flush(after: result.effect)
    // The notes say what to do with the result, so they come after it.
    for line in result.notes { note(line) }
    flushErrors()
  }

  /// Flushes the output; an error first reports the change that was made.
  func flush(after effect: CommandResult.Effect) throws(CommandError) {
    do throws(CommandError) {
      // A closed pipe ends a command in silence only if nothing was changed.
      try streams.output.flush(survivingClosedPipe: effect.isChange)
    } catch {
      guard case .changed(let what, let hint) = effect else {
        throw error.withHint("Send the output elsewhere, and repeat the command.")
      }
      throw CommandError(.outputFailed, "\(what); \(error.message)".asClause, hint: hint)
    }
  }

  /// Prints a note before the answer, unless the output is quiet or JSON.
  func note(_ line: Hint) {
    if !isQuiet, !asJSON { streams.errors.writeLine(line.text(with: choice, width: streams.errors.terminalWidth)) }
  }

  /// Prints a note immediately, before a question.
  func say(_ line: Hint) {
    note(line)
    flushErrors()
  }

  /// Prints a refusal, and returns its status.
  func refuse(_ refusal: CommandError) -> ExitStatus {
    let (name, width) = ("auth-cli: ", streams.errors.terminalWidth)
    let message = Paragraph.message(name + refusal.message, width: width)
    streams.errors.writeLine(streams.errors.style.bold(name) + message.dropFirst(name.count))
    streams.errors.writeLine(refusal.hint.text(with: choice, width: width))
    flushErrors()
    guard asJSON else { return refusal.status }
    writeDocument([
      "status": .integer(Int64(refusal.status.rawValue)), "code": .string(refusal.code),
      "message": .string(refusal.message), "hint": .string(refusal.hint.text(with: choice)),
    ])
    // The status already says that the command failed; there is none for a lost document.
    try? streams.output.flush(survivingClosedPipe: true)
    return refusal.status
  }

  /// Prints a document: its version, and these members.
  func writeDocument(_ members: JSON) { streams.output.writeLine(JSON.document(members)) }

  /// Flushes the messages; if that fails, only the exit status remains.
  private func flushErrors() {
    do { try streams.errors.flush(survivingClosedPipe: true) } catch {}
  }
}

extension CommandOutput {
  /// Creates an output to the streams of this process, as the options say.
  init(_ words: ParsedWords) {
    self.init(
      streams: .standard(noColor: words[Options.noColor]), asJSON: words[Options.json], isQuiet: words[Options.quiet],
      choice: words.choice)
  }
}

extension ParsedWords {
  /// The options of the command line that choose a context.
  fileprivate var choice: [String] {
    let isNamed = origin(of: Options.context) == .commandLine
    let context = isNamed ? self[Options.context].map { ["--context", $0.description] } : nil
    return (context ?? []) + (self[Options.resource].map { ["--resource", $0.text] } ?? [])
  }
}

// What several commands print.

extension ContextWorkspace {
  /// The navigation bar, on a terminal.
  func bar(_ title: String) -> [String] {
    let stream = output.streams.output
    guard stream.isTerminal else { return [] }
    let bar = Bar(title: title, button: NavigationBar(store: store).button, isPressable: false)
    return [bar.line(width: stream.width, style: stream.style), ""]
  }

  /// The lines of a table, fitted to a terminal.
  func lines(_ table: Table) -> [String] {
    table.lines(width: output.streams.output.terminalWidth)
  }

  /// An answer of names, one on a line, for completions and scripts.
  func names(_ names: [String]) -> CommandResult { CommandResult(.onlyShows, lines: names.map(TextEscaping.escape)) }

  /// The command for the next page, with the same options.
  func more(_ command: [String], limit: Int) -> Hint {
    "More: \(run: command + (limit == Options.pageLength ? [] : ["--limit", String(limit)]))"
  }

  /// The answer with a one-time code and its purpose.
  func issued(_ issued: OneTimeCode, effect: CommandResult.Effect, notes: [Hint]) -> CommandResult {
    let until = UTCTime(seconds: WallTime.now().seconds + issued.validFor.wholeSeconds)
    return CommandResult(
      effect, text: issued.code.text + "\n",
      [
        "user": .user(issued.user), "one_time_code": .string(issued.code.text), "valid_until": .string(until.iso8601),
      ],
      notes: notes + [
        "The code works once, within \(issued.validFor.words). It sets a new password:",
        "  \(runByOthers: "recover", issued.user.username)",
      ])
  }

  static let twoStepFirst: Hint =
    "Administrators need a second step. Nothing else works until you set one up: \(run: "two-step", "on")"
}

extension IncompleteCleanup {
  /// A clause that says what a logout could not finish.
  func words(at authority: String, _ causes: [String] = []) -> String {
    var parts: [String] = []
    if notRevoked { parts.append("the \(authority) did not confirm it") }
    if notErased { parts.append("the session file is still there") }
    if leases > 0 { parts.append("\(leases) \(leases == 1 ? "operation is" : "operations are") still running") }
    return parts.joined(separator: "; ") + causes.inBrackets
  }
}

extension [String] {
  /// Causes of a failure, after what they caused.
  var inBrackets: String {
    let reasons = map(\.asClause).distinct
    return reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
  }
}
