import AuthMessages
import CommandLineKit

/// `completions SHELL`.
struct CompletionsCommand: CommandBody {
  let shell: Shell

  static let command = Command<any CommandBody>(
    "completions", summary: "Print completions for a shell",
    arguments: [shell],
    examples: [
      ("completions bash > auth-cli.bash", "writes a file for bash to source"),
      ("completions zsh > _auth-cli", "writes a file for a directory in zsh's fpath"),
      ("completions fish | source", "enables them in this fish"),
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { words in CompletionsCommand(shell: words[shell]) }

  private static let shell = Argument.required(
    "SHELL", ValueKind<Shell>.choice("a shell"), "The shell to write the completions for")

  func run(in printer: Printer) -> Answer {
    printer.describe("completions", Completions(AuthTool.tool).script(for: shell))
  }
}
