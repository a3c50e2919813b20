import CommandLineKit

/// `help [COMMAND...]`, and `--help` anywhere.
enum HelpCommand {
  static let command = Command<CommandBody>(
    "help", summary: "Show help",
    arguments: [topic],
    examples: [
      "help": "shows the overview",
      "help pay": "shows how to pay; so does 'pay --help'",
      "help sessions revoke": "shows help for a subcommand",
      "help statuses": "lists the exit statuses",
      "help codes": "lists the codes of errors, which --json prints, with their exit statuses",
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { _ in CommandBody { (words, output, _) throws(CommandError) in try page(words[topic], for: output) } }

  private static let topic = Argument.rest(
    "COMMAND", .helpTopic("a command"),
    "A command, or a topic: statuses, codes, environment, files, prompt; if omitted, the overview")

  static func page(
    _ topic: [String], for output: CommandOutput, isBrief: Bool = false
  ) throws(CommandError) -> CommandResult {
    let help = Help(AuthTool.tool, width: output.streams.output.width)
    if isBrief { return .describing("help", help.brief) }
    return .describing("help", try help.page(topic))
  }
}

/// `man`: the manual page.
enum ManualCommand {
  static let command = Command<CommandBody>(
    "man", summary: "Print the manual page",
    discussion: ["One page with all commands, in mdoc format: show it with 'man', or install it as auth-cli.1."],
    examples: ["man | man -l -": "shows the page"],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { _ in CommandBody { _, _, _ in .describing("man", AuthTool.tool.manual) } }
}

/// `completions SHELL [WORD...]`.
enum CompletionsCommand {
  static let command = Command<CommandBody>(
    "completions", summary: "Print completions for a shell",
    discussion: [
      "With '--' and the words of a line, it prints the completions of the last one; the installed script does that."
    ],
    arguments: [shell, line],
    examples: [
      "completions bash > auth-cli.bash": "writes a file for bash to source",
      "completions zsh > _auth-cli": "writes a file for a directory in zsh's fpath",
      "completions fish | source": "enables them in this fish",
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { _ in CommandBody(run: run) }

  private static let shell = Argument.required(
    "SHELL", ValueKind<Shell>.choice("a shell"), "The shell to write the completions for")
  private static let line = Argument.rest(
    "WORD", ValueKind<Word>("a word", accepted: "any word") { $0 },
    "An unfinished line, without the program's name; if omitted, the script is printed")

  private static func run(
    _ words: ParsedWords, _: CommandOutput, _ makeBackend: MakeBackend
  ) async throws(CommandError) -> CommandResult {
    let (shell, line) = (words[shell], words[line])
    if line.isEmpty { return .describing("completions", AuthTool.tool.completionScript(for: shell)) }
    let typed = shell.words(line)
    var completions = AuthTool.tool.completions(of: typed)
    if let command = completions.listedBy { completions.words += await names(command, makeBackend) }
    return .describing("completions", completions.text(continuing: typed.last, for: shell))
  }

  /// The names that a command prints, as completions; none if it fails.
  private static func names(_ command: String, _ makeBackend: MakeBackend) async -> [Suggestion] {
    let words = command.split(separator: " ").map { Word($0) }
    guard case .request(let body, let parsed) = try? AuthTool.tool.parse(words, environment: Environment.word),
      let answer = try? await body.run(parsed, CommandOutput(parsed), makeBackend.forShell)
    else { return [] }
    return answer.lines.map { ($0, "") }
  }
}

/// `machine`: the table of the session machine.
enum MachineCommand {
  static let command = Command<CommandBody>(
    "machine", summary: "Print the states of a session and what changes them",
    discussion: [
      "A session is in one state at a time, such as loggedIn. The table shows for each state and each event whether the "
        + "event leads to another state, has no effect or is refused. It is made from the code that the program runs."
    ],
    options: [format],
    examples: [
      "machine": "prints the table",
      "machine --format mermaid": "prints a diagram for Mermaid",
      "machine --format json": "prints the whole table for a program; so does --json",
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { _ in CommandBody { (words, output, _) in show(words[format], on: output.streams.output) } }

  private static let format = Option.standard(
    "format", "FORMAT", ValueKind<MachineFormat>.choice("a format"), "The output format", standard: .text,
    shownAs: "text"
  )

  private static func show(_ format: MachineFormat, on output: OutputStream) -> CommandResult {
    let table = MachineTable.shipped
    return switch format {
    case .text: CommandResult(.onlyShows, lines: table.lines(width: output.terminalWidth ?? 100), table.document)
    case .mermaid: CommandResult(.onlyShows, lines: table.mermaid, table.document)
    case .json: CommandResult(.onlyShows, text: table.json, table.document)
    }
  }
}

/// A way to print the session machine.
enum MachineFormat: String, Choice {
  case text
  case mermaid
  case json

  var summary: String {
    switch self {
    case .text: "a table to read"
    case .mermaid: "a diagram for Mermaid"
    case .json: "every cell, for programs"
    }
  }
}
