import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `home`.
struct HomeCommand: CommandBody {
  static var command: Command<any CommandBody> {
    Command("home") {
      .init(
        summary: "Show the home screen",
        discussion: ["You can see this screen without logging in."],
        examples: [.init("home", "shows your name, your balance and what to try next")],
        statuses: .of(.done, .usage, .cannotTell)
      ) { _ throws(UsageError) in HomeCommand() }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.home()
  }
}

extension Workspace {
  /// `home`: the one screen that anybody may see.
  func home() async throws(CommandError) -> Answer {
    switch await restore() {
    case .loggedIn(let session):
      let balance = await balance(session)
      return Answer(
        .onlyShows,
        lines: bar("Home") + ["Welcome, \(escaping: session.user.displayName)."]
          + (balance.map { ["Your balance is \($0)."] } ?? []),
        ["logged_in": true, "user": .user(session.user), "balance": .string(orNull: balance)],
        notes: [
          await needsTwoStep(session)
            ? Self.twoStepFirst : "Try: \(run: "receipts"), \(run: "pay", "AMOUNT", "--to", "USER")"
        ])
    case .loggedOut:
      return Answer(
        .onlyShows,
        lines: bar("Home") + ["Welcome. Nobody is logged in."], ["logged_in": false, "user": nil, "balance": nil],
        notes: [
          try isRegistrationOpen
            ? "Try: \(run: "login", "USER"), or \(run: "register", "USER")" : "Log in with: \(run: "login", "USER")"
        ])
    case .obstructed(let obstacle): throw CommandError(obstacle)
    case .overtaken, .cancelled: throw CommandError(SessionError.overtaken)
    }
  }

  /// Whether anybody may create an account; the answer does not depend on the name that is asked
  /// about.
  private var isRegistrationOpen: Bool {
    get throws(CommandError) {
      do throws(BackendError) {
        try backend.check(newUsername: "anybody")
        return true
      } catch {
        // A service that cannot be reached greets nobody.
        if places.service != nil, case .unavailable = error.kind { throw CommandError(error) }
        return error.code != BackendError.Code.registrationClosed.rawValue
      }
    }
  }
}
