import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `home`.
enum HomeCommand {
  static let command = Command<CommandBody>(
    "home", summary: "Show the home screen",
    discussion: ["You can see this screen without logging in."],
    examples: ["home": "shows your name, your balance and what to try next"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { _ in .anywhere(withoutLogin: .done, atDatabase: run, atProvider: run) }

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    guard let session = try await workspace.presence() else {
      return CommandResult(
        .onlyShows, lines: workspace.bar("Home") + ["Welcome. Nobody is logged in."],
        ["logged_in": false, "user": nil, "balance": nil],
        notes: [
          try workspace.hasNoAccounts
            ? workspace.loginHint
            : isRegistrationOpen(in: workspace)
              ? "Try: \(run: "login", "USER"), or \(run: "register", "USER")" : workspace.loginHint
        ])
    }
    let balance = await workspace.readBalance(session)
    return CommandResult(
      .onlyShows,
      lines: workspace.bar("Home") + ["Welcome, \(session.user.displayName.escaped)."]
        + (balance.map { ["Your balance is \($0)."] } ?? []),
      ["logged_in": true, "user": .user(session.user), "balance": .string(orNull: balance)],
      notes: [
        await workspace.needsTwoStep(session)
          ? Workspace.twoStepFirst : "Try: \(run: "receipts"), \(run: "pay", "AMOUNT", "--to", "USER")"
      ])
  }

  /// At an identity provider there is no balance.
  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    let session = try await workspace.presence()
    let name = session.map { ", \($0.user.displayName.escaped)" } ?? ""
    return CommandResult(
      .onlyShows,
      lines: workspace.bar("Home") + [
        "Welcome\(name).\(session == nil ? " Nobody is logged in." : "")",
        "You are at \(workspace.settings.issuer.escaped).",
      ],
      [
        "logged_in": .bool(session != nil), "user": session.map { .user($0.user) } ?? .null,
        "provider": .provider(workspace.settings),
      ],
      notes: [session == nil ? "Log in with: \(run: "login")" : "Try: \(run: "token"), \(run: "profile")"])
  }

  /// Whether registration is open; the answer does not depend on the name that is passed
  /// about.
  private static func isRegistrationOpen(in workspace: Workspace) throws(CommandError) -> Bool {
    do throws(BackendError) {
      try workspace.backend.check(newUsername: "anybody")
      return true
    } catch {
      // If the service cannot be reached, the screen greets no user.
      if workspace.directories.service != nil, case .unavailable = error.kind { throw CommandError(error) }
      return error.code != BackendError.Code.registrationClosed.rawValue
    }
  }
}
