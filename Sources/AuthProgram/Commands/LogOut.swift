import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `logout [--all]`.
struct LogOutCommand: CommandBody {
  let everywhere: Bool

  static var command: Command<any CommandBody> {
    Command("logout", soughtAs: ["exit", "quit", "sign-out", "signout"]) {
      .init(
        summary: "Log out",
        discussion: [
          "Ends your session at once and revokes it, so that a copy of it does not work either. It is not an error if nobody "
            + "was logged in."
        ],
        options: [Options.everywhere],
        examples: [
          .init("logout", "ends this session"),
          .init("logout --all", "ends all your sessions, in every context"),
        ],
        statuses: .of(.done, .usage, .cannotTell)
      ) { words throws(UsageError) in
        LogOutCommand(everywhere: try words[Options.everywhere])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.logOut(everywhere: everywhere)
  }
}

extension Options {
  fileprivate static let everywhere = Option.flag(
    "all", "End all your sessions, on every device and in every context")
}

extension Workspace {
  /// `logout [--all]`: ends the session, whatever state it is in.
  func logOut(everywhere: Bool) async throws(CommandError) -> Answer {
    forgetsDisabled = true
    let openMode = try makeUsable()
    let before = await restore()
    // Its file must stay: here it can neither be revoked nor is it known to be over.
    if case .obstructed(.authority(let cause)) = before,
      cause.code == BackendError.FailureCode.sessionOfOtherDatabase.rawValue
    {
      let error = CommandError(cause)
      throw error.withHint("\(error.hint) If its database no longer exists, delete the file \(vault.path.escaped).")
    }
    let others = everywhere ? await endOthers(before) : .ended(0)
    let result: LogoutResult
    do throws(LogoutError) {
      result = try await store.logOut()
    } catch {
      switch error {
      case .insideLease, .cancelled: throw CommandError(SessionError.cancelled)
      }
    }
    switch result {
    case .complete:
      switch others {
      case .ended(let count): return loggedOut(before, others: count, openMode)
      case .refused(let refusal): throw Self.incomplete(refusal)
      }
    case .alreadyLoggedOut:
      if case .refused(let refusal) = others { throw Self.incomplete(refusal) }
      return Answer(
        .onlyShows,
        lines: ["Nobody was logged in."], ["logged_out": false, "reason": "nobody_logged_in"],
        notes: Self.notes(openMode))
    case .partial(let leftovers, let causes): throw incomplete(leftovers, causes)
    }
  }

  /// Makes of the session file what a logout can read.
  ///
  /// Others may have read a file that was open to them, so its session has to end. What a link
  /// leads to is not this program's.
  ///
  /// - Returns: The mode of a file that was open to others; it is closed now.
  private func makeUsable() throws(CommandError) -> String? {
    if let target = vault.linkTarget {
      throw CommandError(code: .sessionFileLinked, vault.path.escaped, target.escaped)
    }
    do throws(VaultError) { return try vault.closeToOthers() } catch { throw CommandError(error) }
  }

  private static func notes(_ openMode: String?) -> [Hint] {
    openMode.map { ["The session file had mode \($0), so others could read it and may have used the session."] } ?? []
  }

  /// What became of the user's sessions elsewhere.
  private enum Elsewhere {
    case ended(Int)
    case refused(CommandError)
  }

  /// Ends all sessions of the user.
  ///
  /// Whatever comes of it, this one is logged out afterwards.
  private func endOthers(_ before: RestoreOutcome) async -> Elsewhere {
    switch before {
    case .loggedIn(let session):
      do throws(CommandError) {
        return .ended(
          try await ask(session) { (lease) throws(BackendError) in try backend.endAllSessions(under: lease) } - 1)
      } catch {
        return .refused(error)
      }
    case .loggedOut: return .ended(0)
    case .obstructed(let obstacle): return .refused(CommandError(obstacle))
    case .overtaken, .cancelled: return .refused(CommandError(SessionError.overtaken))
    }
  }

  /// A session file that stays must not be reported as a logout, and without it there is nothing to
  /// log out again with.
  private func incomplete(_ leftovers: IncompleteCleanup, _ causes: [String]) -> CommandError {
    var reasons: [String] = []
    for cause in causes.map(\.asClause) where !reasons.contains(cause) { reasons.append(cause) }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
    guard leftovers.notErased else {
      return CommandError(code: .logoutIncomplete, leftovers.words + why, Deadlines.words(backend.policy.idle))
    }
    return CommandError(code: leftovers.notRevoked ? .logoutFailed : .logoutNotErased, leftovers.words + why)
  }

  private static func incomplete(_ refusal: CommandError) -> CommandError {
    CommandError(code: .otherSessionsNotEnded, refusal.message)
  }

  private func loggedOut(_ before: RestoreOutcome, others: Int, _ openMode: String?) -> Answer {
    switch before {
    case .loggedIn(let session):
      let user = TextEscaping.escape(session.user.username)
      let count = others == 0 ? "" : others == 1 ? ", and 1 other session" : ", and \(others) other sessions"
      return Answer(
        .changed("\(user) is logged out\(count)", hint: "Look with: \(run: "status")"),
        lines: ["Logged out \(user)\(count)."],
        ["logged_out": true, "user": .user(session.user), "other_sessions_ended": .integer(Int64(others))],
        notes: Self.notes(openMode))
    case .loggedOut, .obstructed, .overtaken, .cancelled:
      return Answer(
        .changed("the unusable session file was set aside", hint: "Look with: \(run: "status")"),
        lines: ["Nobody was logged in; the unusable session was set aside."],
        ["logged_out": false, "reason": "session_set_aside"])
    }
  }
}

extension IncompleteCleanup {
  /// What a logout could not finish, for the person at the terminal.
  var words: String {
    var parts: [String] = []
    if notRevoked { parts.append("the database was not told") }
    if notErased { parts.append("the session file is still there") }
    if leases > 0 { parts.append("\(leases) \(leases == 1 ? "operation is" : "operations are") still running") }
    return parts.joined(separator: "; ")
  }
}
