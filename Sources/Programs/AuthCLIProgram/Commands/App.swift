import AuthAccounts
import AuthCore
import AuthDevice
import AuthFullScreen
import AuthMessages
import CommandLineKit
import ConcurrencyKit
import Glibc

/// `app`.
enum AppCommand {
  static let command = Command<CommandBody>(
    "app", summary: "Use everything in one full-screen program",
    discussion: [
      "Log in, pay, read receipts, end sessions, set up a second step and change accounts with the arrow keys and Enter. "
        + "Enter shows the details of a row. Letters act on the row; the bottom bar lists them. The mouse selects and "
        + "scrolls; M leaves it to the terminal. Press ? for all keys and q to quit. "
        + "Esc leaves a form; if you typed something, press it twice. Ctrl-T shows the code that you type. "
        + "Before it quits, it completes the current action, and prints an error if that fails. If the program was killed with "
        + "kill -9, 'reset' restores the terminal.",
      "On a page with codes that are shown once, the mouse selects them, y asks the terminal to copy them, which it may "
        + "refuse, and w writes them to a new file in your home directory that only you can read.",
      "Changes from other terminals show immediately. A session that ends there closes its screens here. The Machine tab "
        + "shows the session machine at work: heavy lines lead from its state to those that can be next. What does not "
        + "fit scrolls as a list does.",
      "To create an account or to set a new password is not a login, as with 'register' and 'recover'. The login form "
        + "opens then, with the name.",
      "In a context at an identity provider it has the tabs that need no database. To log in, it leaves the screen, "
        + "prompts as 'login' does, and comes back.",
      "The program needs a terminal. The other commands do the same without it. For screen readers, 'watch' prints "
        + "changes line by line. NO_COLOR switches colours off; a locale without UTF-8 gets ASCII.",
    ],
    examples: ["app": "opens the home screen"]
  ) { _ in .anywhere(use: .readsUntilAsked, atDatabase: run, atProvider: run) }

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    _ = try show(try start(workspace, AppWork(workspace)), in: workspace)
    return CommandResult(.onlyShows)
  }

  /// The user logs in outside of the screen, with the prompts of the command.
  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    let loop = try start(workspace, ProviderAppWork(workspace), provider: workspace.settings.issuer)
    while let isConfirming = try show(loop, in: workspace) {
      let credentials = await Result { () async throws(CommandError) in
        if isConfirming, let user = workspace.store.session?.user { try workspace.requireIdentified(user) }
        return try await workspace.obtainCredentials(prompting: isConfirming)
      }
      loop.take(.authenticated(credentials, isConfirming: isConfirming))
    }
    return CommandResult(.onlyShows)
  }

  private static func start(
    _ workspace: ContextWorkspace, _ work: any AppWorker, provider: String? = nil
  ) throws(CommandError) -> AppLoop {
    try requireTerminal(workspace.output)
    // A line between its rows would spoil the screen.
    if isatty(STDERR_FILENO) == 1 { ProviderTransport.isListing = false }
    try explained { () throws(VaultError) in try workspace.vault.prepare() }
    let context = workspace.context
    return try AppLoop(work: work, context: context == .standard ? nil : context.description, provider: provider)
  }

  /// Shows the screen until the user quits (nil) or must log in at the identity provider.
  private static func show(_ loop: AppLoop, in workspace: ContextWorkspace) throws(CommandError) -> Bool? {
    try loop.run(
      colors: workspace.output.streams.output.style.allowsColor, isASCII: Environment.hasOtherEncoding)
  }

  private static func requireTerminal(_ output: CommandOutput) throws(CommandError) {
    if output.asJSON { throw CommandError(code: .screenNotJSON) }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw CommandError(code: .noScreen) }
    let kind = Environment.value("TERM") ?? ""
    guard !kind.isEmpty, kind != "dumb" else {
      throw CommandError(code: .screenTooPlain, kind.isEmpty ? "not set" : "dumb")
    }
  }
}
