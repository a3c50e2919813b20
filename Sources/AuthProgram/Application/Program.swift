package import AuthBackend
import CommandLineKit
import Glibc

/// Makes the backend of a run, given where the embedded database would be and what to call the sessions that begin here.
package typealias MakeBackend = @Sendable (_ directory: String, _ label: String) -> any Backend

/// One run: understands the line, runs the command, prints what came of it.
///
/// Not an asynchronous main: making one costs a short run more than its work does, and the first suspension of one costs a
/// static executable some 5 ms.
package struct Program: Sendable {
  let makeBackend: MakeBackend

  /// Creates the program over a backend.
  package init(_ makeBackend: @escaping MakeBackend) {
    self.makeBackend = makeBackend
  }

  /// Runs the command line of this process, and ends the process with its status.
  package func main() -> Never {
    StandardDescriptors.occupyClosed()
    // What is made is private from its first moment on, so that a death before its mode is set leaves nothing to repair.
    umask(0o077)
    // A file that reaches the limit of its size is a write that failed, to be reported, and no cause of death.
    signal(SIGXFSZ, SIG_IGN)
    switch begin() {
    case .over(let status): exit(status.rawValue)
    case .command(let request, let globals): wait(for: request, globals)
    }
  }

  /// What does not suspend runs on this thread to its end, and the rest on others while this one waits.
  // Not inlined, or every run would begin with looking up types of the concurrency runtime.
  @inline(never)
  private func wait(for request: Request, _ globals: GlobalOptions) -> Never {
    Task.immediateDetached { exit(await run(request, globals).rawValue) }
    while true { pause() }
  }

  /// How a run goes on once its line is understood.
  private enum Course {
    case over(ExitStatus)
    case command(Request, GlobalOptions)
  }

  /// Does all that needs no asynchronous call.
  private func begin() -> Course {
    do throws(CommandError) {
      try OwnMemory.close()
    } catch {
      return .over(
        Printer(streams: Streams.standard(noColor: false), asJSON: false, isQuiet: false).refuse(error))
    }
    let words = Word.programArguments()
    let parser = Parser(AuthTool.tool)
    let meaning: Parser<Request>.Meaning
    do {
      meaning = try parser.parse(words, environment: Environment.word)
    } catch {
      let printer = Printer(
        streams: Streams.standard(noColor: parser.mentions(Options.noColor, in: words)),
        asJSON: parser.mentions(Options.json, in: words), isQuiet: false)
      return .over(printer.refuse(CommandError(error)))
    }
    switch meaning {
    case .version:
      let asJSON = parser.mentions(Options.json, in: words)
      return .over(
        describe("program", asJSON) { _ throws(UsageError) in
          AuthTool.tool.name + " " + AuthTool.version + (asJSON ? "" : "\n")
        })
    case .help(let topic): return .over(help(topic, parser.mentions(Options.json, in: words)))
    case .request(let request, let parsed): return begin(request, parsed)
    }
  }

  private func begin(_ request: Request, _ parsed: ParsedWords) -> Course {
    let globals: GlobalOptions
    do {
      globals = try GlobalOptions(parsed)
    } catch {
      return .over(
        Printer(streams: Streams.standard(noColor: false), asJSON: false, isQuiet: false).refuse(CommandError(error)))
    }
    switch request {
    case .help(let topic): return .over(help(topic, globals.json))
    case .manual: return .over(describe("man", globals.json) { _ throws(UsageError) in Manual(AuthTool.tool).page })
    case .completions(let shell):
      return .over(
        describe("completions", globals.json) { _ throws(UsageError) in
          Completions(AuthTool.tool).script(for: shell)
        })
    case .status:
      let printer = Printer(globals)
      do throws(CommandError) {
        if let answer = try Workspace(globals, printer, makeBackend).statusAtOnce() {
          return .over(printer.print(answer))
        }
      } catch {
        return .over(printer.refuse(error))
      }
    case .register, .logIn, .logOut, .reauthenticate, .home, .pay, .receipts, .profile, .sessions, .revokeSession,
      .changePassword, .listAccounts, .showAccount, .disableAccount, .enableAccount, .unlockAccount, .events, .watch,
      .machine:
      break
    }
    return .command(request, globals)
  }

  private func run(_ request: Request, _ globals: GlobalOptions) async -> ExitStatus {
    let printer = Printer(globals)
    do throws(CommandError) {
      return printer.print(try await answer(request, globals, printer))
    } catch {
      return printer.refuse(error)
    }
  }

  private func help(_ topic: [String], _ asJSON: Bool) -> ExitStatus {
    describe("help", asJSON) { width throws(UsageError) in try Help(AuthTool.tool, width: width).page(topic) }
  }

  /// Prints text that describes the program, as a document in the member `name`: needs no account and no file.
  private func describe(
    _ name: String, _ asJSON: Bool, _ text: (Int) throws(UsageError) -> String
  ) -> ExitStatus {
    let streams = Streams.standard(noColor: false)
    let printer = Printer(streams: streams, asJSON: asJSON, isQuiet: false)
    do {
      let text = try text(min(streams.output.width, 100))
      guard !asJSON else { return printer.print(Answer(.onlyShows, [name: .string(text)])) }
      streams.output.write(text)
    } catch {
      return printer.refuse(CommandError(error))
    }
    return printer.print(Answer(.onlyShows))
  }
}
