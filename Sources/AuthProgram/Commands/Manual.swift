import AuthMessages
import CommandLineKit

/// `man`: the manual page.
struct ManualCommand: CommandBody {
  static let command = Command<any CommandBody>(
    "man", summary: "Print the manual page",
    discussion: ["One page with all commands, in mdoc format: show it with 'man', or install it as auth-cli.1."],
    examples: [("man | man -l -", "shows the page")],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { _ in ManualCommand() }

  func run(in printer: Printer) -> Answer {
    printer.describe("man", Manual(AuthTool.tool).page)
  }
}
