import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// Prints answers and refusals: data on standard output, everything else on standard error.
struct Printer {
  let streams: Streams
  let asJSON: Bool
  let isQuiet: Bool
  /// The context that an option named; nil when none did.
  var context: ContextName? = nil

  /// Prints an answer, and returns the status to end with: a result that could not be printed is
  /// not a success.
  func print(_ answer: Answer) -> ExitStatus {
    if asJSON {
      let document = answer.document
      if !document.isEmpty { writeDocument(document) }
    }
    do throws(CommandError) { try show(answer) } catch { return refuse(error) }
    return answer.status
  }

  /// Prints what an answer has for people, at once: a question may follow it.
  func show(_ answer: Answer) throws(CommandError) {
    if !asJSON, !isQuiet {
      for line in answer.lines { streams.output.writeLine(line) }
    }
    do throws(OutputError) {
      try flush(after: answer.effect)
    } catch {
      throw CommandError(error, after: answer.effect)
    }
    // What to do next is said of a result that is there.
    for line in answer.notes { note(line) }
    flushErrors()
  }

  /// Says something to people before the answer.
  func note(_ line: Hint) {
    if !isQuiet, !asJSON { streams.errors.writeLine(line.text(in: context)) }
  }

  /// Says something to people at once, before a question.
  func say(_ line: Hint) {
    note(line)
    flushErrors()
  }

  /// Prints a refusal, and returns its status.
  func refuse(_ refusal: CommandError) -> ExitStatus {
    streams.errors.writeLine(streams.errors.style.bold("auth-cli: ") + refusal.message)
    let hint = refusal.hint.text(in: context)
    streams.errors.writeLine(hint)
    flushErrors()
    guard asJSON else { return refusal.status }
    writeDocument([
      .init(name: "status", value: .integer(Int64(refusal.status.rawValue))),
      .init(name: "code", value: .string(refusal.code)), .init(name: "message", value: .string(refusal.message)),
      .init(name: "hint", value: .string(hint)),
    ])
    // The status says no already; there is no better one for a document that did not arrive.
    do { try streams.output.flush(survivingClosedPipe: true) } catch { return refusal.status }
    return refusal.status
  }

  /// A closed pipe ends a command in silence only if nothing was changed.
  private func flush(after effect: Answer.Effect) throws(OutputError) {
    switch effect {
    case .onlyShows: try streams.output.flush()
    case .changed: try streams.output.flush(survivingClosedPipe: true)
    }
  }

  private func writeDocument(_ members: [JSON.Member]) {
    streams.output.writeLine(JSON.object([JSON.Member(name: "version", value: 1)] + members).text)
  }

  /// Messages that nobody can be given are lost, and the status says the rest.
  private func flushErrors() {
    do { try streams.errors.flush(survivingClosedPipe: true) } catch {}
  }
}

extension Printer: CommandPlace {
  init(_ run: Run, onlyLooks: Bool) { self = run.printer }

  /// Prints to the streams of this process what the options ask for.
  init(_ globals: GlobalOptions) {
    self.init(
      streams: .standard(noColor: globals.noColor), asJSON: globals.json, isQuiet: globals.quiet,
      context: globals.contextVariable == nil ? globals.context : nil)
  }

  /// Text that describes the program: also with `--quiet`, and in JSON as the member `name`.
  func describe(_ name: String, _ text: String) -> Answer {
    guard !asJSON else { return Answer(.onlyShows, [name: .string(text)]) }
    streams.output.write(text)
    return Answer(.onlyShows)
  }
}
