import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import Glibc

/// `app`.
enum AppCommand {
  static let command = Command<CommandBody>(
    "app", summary: "Use everything in one full-screen program",
    discussion: [
      "Log in, pay, read receipts, end sessions, set up a second step and change accounts with the arrow keys and Enter. "
        + "Enter shows the details of a row. Letters act on the row; the bottom bar lists them. The mouse selects and "
        + "scrolls; M leaves it to the terminal. Press ? for all keys and q to quit. "
        + "It first completes the work under way, and prints an error if that fails. If the program was killed with "
        + "kill -9, 'reset' restores the terminal.",
      "Changes from other terminals show immediately. A session that ends there closes its screens here. The Machine tab "
        + "shows the session machine at work.",
      "The program needs a terminal. The other commands do the same without it. For screen readers, 'watch' prints "
        + "changes line by line. NO_COLOR switches colours off; a locale without UTF-8 gets ASCII.",
    ],
    examples: ["app": "opens the home screen"]
  ) { _ in .inWorkspace(onlyLooks: true, run) }

  /// It never suspends, so it stays on the thread that signals go to.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> Answer {
    try requireTerminal(workspace.printer)
    try explained { () throws(VaultError) in try workspace.vault.prepare() }
    let work = AppWork(workspace)
    let context = workspace.context
    let loop = try AppLoop(work: work, context: context == .standard ? nil : context.description)
    let style = workspace.printer.streams.output.style
    try loop.run(colors: style.allowsColor, isASCII: Environment.hasOtherEncoding)
    return Answer(.onlyShows)
  }

  private static func requireTerminal(_ printer: Printer) throws(CommandError) {
    if printer.asJSON { throw CommandError(code: .screenNotJSON) }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw CommandError(code: .noScreen) }
    let kind = Environment.value("TERM") ?? ""
    guard !kind.isEmpty, kind != "dumb" else {
      throw CommandError(code: .screenTooPlain, kind.isEmpty ? "not set" : "dumb")
    }
  }
}
