import Glibc

/// One run: understands the line, runs the command, prints what came of it.
enum Program {
  /// Runs the command line of this process and returns its status.
  static func run() async -> ExitStatus {
    StandardDescriptors.occupyClosed()
    // What is made is private from its first moment on, so that a death before its mode is set leaves nothing to repair.
    umask(0o077)
    // A file that reaches the limit of its size is a write that failed, to be reported, and no cause of death.
    signal(SIGXFSZ, SIG_IGN)
    let words = Word.programArguments()
    let parser = Parser(AuthTool.tool)
    let meaning: Parser<Request>.Meaning
    do {
      meaning = try parser.parse(words, environment: Environment.word)
    } catch {
      let printer = Printer(
        streams: Streams.standard(noColor: parser.mentions(Options.noColor, in: words)),
        asJSON: parser.mentions(Options.json, in: words), isQuiet: false)
      return printer.refuse(Refusal(error))
    }
    let asJSON = parser.mentions(Options.json, in: words)
    switch meaning {
    case .version:
      return describe("program", asJSON) { _ throws(UsageError) in
        AuthTool.tool.name + " " + AuthTool.version + (asJSON ? "" : "\n")
      }
    case .help(let topic): return help(topic, asJSON)
    case .request(let request, let parsed): return await run(request, parsed, asJSON)
    }
  }

  private static func run(_ request: Request, _ parsed: ParsedWords, _ asJSON: Bool) async -> ExitStatus {
    switch request {
    case .help(let topic): return help(topic, asJSON)
    case .manual: return describe("man", asJSON) { _ throws(UsageError) in Manual(AuthTool.tool).page }
    case .completions(let shell):
      return describe("completions", asJSON) { _ throws(UsageError) in
        Completions(AuthTool.tool).script(for: shell)
      }
    case .register, .logIn, .logOut, .status, .reauthenticate, .home, .pay, .receipts, .profile, .sessions,
      .revokeSession, .changePassword, .listAccounts, .showAccount, .disableAccount, .enableAccount, .unlockAccount,
      .events, .watch, .machine:
      break
    }
    let globals: GlobalOptions
    do {
      globals = try GlobalOptions(parsed)
    } catch {
      return Printer(streams: Streams.standard(noColor: false), asJSON: false, isQuiet: false).refuse(Refusal(error))
    }
    let streams = Streams.standard(noColor: globals.noColor)
    let printer = Printer(streams: streams, asJSON: globals.json, isQuiet: globals.quiet)
    do throws(Refusal) {
      let answer = try await answer(request, globals, printer)
      return printer.print(answer)
    } catch {
      return printer.refuse(error)
    }
  }

  private static func help(_ topic: [String], _ asJSON: Bool) -> ExitStatus {
    describe("help", asJSON) { width throws(UsageError) in try Help(AuthTool.tool, width: width).page(topic) }
  }

  /// Prints text that describes the program, as a document in the member `name`: needs no account and no file.
  private static func describe(
    _ name: String, _ asJSON: Bool, _ text: (Int) throws(UsageError) -> String
  ) -> ExitStatus {
    let streams = Streams.standard(noColor: false)
    let printer = Printer(streams: streams, asJSON: asJSON, isQuiet: false)
    do {
      let text = try text(min(streams.output.width, 100))
      guard !asJSON else { return printer.print(Answer([name: .string(text)])) }
      streams.output.write(text)
    } catch {
      return printer.refuse(Refusal(error))
    }
    return printer.print(Answer())
  }
}
