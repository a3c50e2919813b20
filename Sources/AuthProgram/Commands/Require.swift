import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `require [--fresh] [--administrator]`.
struct RequireCommand: CommandBody {
  let isFresh: Bool
  let isAdministrator: Bool

  static let command = Command<any CommandBody>(
    "require", summary: "Check that you are logged in, for scripts",
    discussion: [
      "The exit status is 0 if you are logged in and everything that is asked for holds; otherwise it says why not. "
        + "This is activity: it prolongs the session, as a screen does.",
      "With --fresh it asks for your password on a terminal if you entered it too long ago, as 'sudo -v' does. With "
        + "--quiet a no is silent.",
    ],
    options: [fresh, administrator],
    examples: [
      "require --quiet && echo in": "asks in a script, by the exit status",
      "require --fresh --administrator": "asks for the password of an administrator, if it is needed",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in RequireCommand(isFresh: words[fresh], isAdministrator: words[administrator]) }

  private static let fresh = Option.flag("fresh", "Require a password that you entered recently")
  private static let administrator = Option.flag("administrator", "Require an administrator")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    do throws(CommandError) {
      return try await require(in: workspace)
    } catch {
      // With --quiet a no is said by the status alone; what could not be found out is still said.
      let isNo = error.status == .no || error.status == .logInFirst
      guard isNo, workspace.globals.quiet, !workspace.globals.json else { throw error }
      return Answer(.onlyShows, status: error.status)
    }
  }

  private func require(in workspace: Workspace) async throws(CommandError) -> Answer {
    var session = try await workspace.activeSession()
    // These two come before any password, which would be asked for in vain.
    let administrator = isAdministrator ? try workspace.administrator(session) : nil
    if isFresh || isAdministrator { try await checkAccess(session, as: administrator, in: workspace) }
    if isFresh { session = try await workspace.fresh(session).session }
    let deadlines = try Deadlines(clock: workspace.backend.clock)
    let role = session.user.role == .administrator ? ", administrator" : ""
    return Answer(
      .onlyShows,
      lines: ["Logged in as \(session.user.username.escaped)\(role)."],
      ["user": .user(session.user), "session": .session(session.id, session.limits, deadlines)])
  }

  /// Asks the database something that it answers only to a session that may do more than set up a
  /// second step: a key alone does not know that.
  private func checkAccess(
    _ session: LoggedInSession, as administrator: AdminSession?, in workspace: Workspace
  ) async throws(CommandError) {
    try await workspace.ask(session) { (lease) throws(BackendError) in
      if let administrator {
        _ = try workspace.backend.registration(for: administrator, under: lease)
      } else {
        _ = try workspace.backend.profile(under: lease)
      }
    }
  }
}
