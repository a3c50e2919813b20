import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `home`.
struct HomeCommand: CommandBody {
  static let command = Command<any CommandBody>(
    "home", summary: "Show the home screen",
    discussion: ["You can see this screen without logging in."],
    examples: ["home": "shows your name, your balance and what to try next"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { _ in HomeCommand() }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    switch try await workspace.presence() {
    case .user(let session):
      let balance = await workspace.balance(session)
      return Answer(
        .onlyShows,
        lines: workspace.bar("Home") + ["Welcome, \(session.user.displayName.escaped)."]
          + (balance.map { ["Your balance is \($0)."] } ?? []),
        ["logged_in": true, "user": .user(session.user), "balance": .string(orNull: balance)],
        notes: [
          await workspace.needsTwoStep(session)
            ? Workspace.twoStepFirst : "Try: \(run: "receipts"), \(run: "pay", "AMOUNT", "--to", "USER")"
        ])
    case .nobody:
      return Answer(
        .onlyShows,
        lines: workspace.bar("Home") + ["Welcome. Nobody is logged in."],
        ["logged_in": false, "user": nil, "balance": nil],
        notes: [
          try Self.isRegistrationOpen(in: workspace)
            ? "Try: \(run: "login", "USER"), or \(run: "register", "USER")" : "Log in with: \(run: "login", "USER")"
        ])
    }
  }

  /// Whether anybody may create an account; the answer does not depend on the name that is asked
  /// about.
  private static func isRegistrationOpen(in workspace: Workspace) throws(CommandError) -> Bool {
    do throws(BackendError) {
      try workspace.backend.check(newUsername: "anybody")
      return true
    } catch {
      // A service that cannot be reached greets nobody.
      if workspace.places.service != nil, case .unavailable = error.kind { throw CommandError(error) }
      return error.code != BackendError.Code.registrationClosed.rawValue
    }
  }
}
