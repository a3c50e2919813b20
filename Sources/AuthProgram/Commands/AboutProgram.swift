import AuthMessages
import CommandLineKit

/// `help [COMMAND...]`, and `--help` anywhere.
struct HelpCommand: CommandBody {
  let topic: [String]

  static let command = Command<any CommandBody>(
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
  ) { words in HelpCommand(topic: words[topic]) }

  private static let topic = Argument.rest(
    "COMMAND", .helpTopic("a command", besides: topics),
    "A command, or a topic: statuses, codes, environment, files, prompt; if omitted, the overview")
  private static let topics: [Suggestion] = [
    ("statuses", "The exit statuses"), ("codes", "The error codes"),
    ("environment", "The variables"), ("files", "The files"),
    ("prompt", "Show the logged-in user in your shell prompt"),
  ]

  func run(in printer: Printer) throws(CommandError) -> Answer {
    let help = Help(AuthTool.tool, width: min(printer.streams.output.width, 100))
    return printer.describe("help", try explained { () throws(UsageError) in try help.page(topic) })
  }
}

/// `man`: the manual page.
struct ManualCommand: CommandBody {
  static let command = Command<any CommandBody>(
    "man", summary: "Print the manual page",
    discussion: ["One page with all commands, in mdoc format: show it with 'man', or install it as auth-cli.1."],
    examples: ["man | man -l -": "shows the page"],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { _ in ManualCommand() }

  func run(in printer: Printer) -> Answer {
    printer.describe("man", Manual(AuthTool.tool).page)
  }
}

/// `completions SHELL`.
struct CompletionsCommand: CommandBody {
  let shell: Shell

  static let command = Command<any CommandBody>(
    "completions", summary: "Print completions for a shell",
    arguments: [shell],
    examples: [
      "completions bash > auth-cli.bash": "writes a file for bash to source",
      "completions zsh > _auth-cli": "writes a file for a directory in zsh's fpath",
      "completions fish | source": "enables them in this fish",
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { words in CompletionsCommand(shell: words[shell]) }

  private static let shell = Argument.required(
    "SHELL", ValueKind<Shell>.choice("a shell"), "The shell to write the completions for")

  func run(in printer: Printer) -> Answer {
    printer.describe("completions", Completions(AuthTool.tool).script(for: shell))
  }
}

/// `machine`: the table of the session machine.
struct MachineCommand: CommandBody {
  let format: MachineFormat

  static let command = Command<any CommandBody>(
    "machine", summary: "Print the session machine",
    discussion: [
      "Shows what the session does in every state on every event. It is the machine that the program runs."
    ],
    options: [format],
    examples: [
      "machine": "prints the table",
      "machine --format mermaid": "prints a diagram for Mermaid",
      "machine --format json": "prints every cell for a program; so does --json",
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { words in MachineCommand(format: words[Options.json] ? .json : words[format]) }

  private static let format = Option.standard(
    "format", "FORMAT", ValueKind<MachineFormat>.choice("a format"), "The output format", standard: .text,
    shownAs: "text"
  )

  func run(in printer: Printer) -> Answer {
    let table = MachineTable.shipped
    let output = printer.streams.output
    switch format {
    case .text where printer.isQuiet, .mermaid where printer.isQuiet: break
    case .text: output.write(table.text(width: output.isTerminal ? output.width : 100))
    case .mermaid: output.write(table.mermaid)
    case .json: output.write(table.json)
    }
    return Answer(.onlyShows)
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
