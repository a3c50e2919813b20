import AuthMessages
import CommandLineKit

/// `help [COMMAND...]`, and `--help` anywhere.
struct HelpCommand: CommandBody {
  let topic: [String]

  static let command = Command<any CommandBody>(
    "help", summary: "Show help",
    arguments: [topic],
    examples: [
      ("help", "shows the overview"),
      ("help pay", "shows how to pay; so does 'pay --help'"),
      ("help sessions revoke", "shows help for a subcommand"),
      ("help statuses", "lists the exit statuses"),
      ("help codes", "lists the codes of errors, which --json prints, with their exit statuses"),
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { words in HelpCommand(topic: words[topic]) }

  private static let topic = Argument.rest(
    "COMMAND", .helpTopic("a command", besides: topics),
    "A command, or a topic: statuses, codes, environment, files, prompt; if omitted, the overview")
  private static let topics: [ValueForm.Candidate] = [
    .init(value: "statuses", summary: "The exit statuses"), .init(value: "codes", summary: "The error codes"),
    .init(value: "environment", summary: "The variables"), .init(value: "files", summary: "The files"),
    .init(value: "prompt", summary: "Who is logged in, in your prompt"),
  ]

  func run(in printer: Printer) throws(CommandError) -> Answer {
    let help = Help(AuthTool.tool, width: min(printer.streams.output.width, 100))
    return printer.describe("help", try explained { () throws(UsageError) in try help.page(topic) })
  }
}
