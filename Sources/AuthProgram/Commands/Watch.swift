import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `watch [--until STATE]`.
struct WatchCommand: CommandBody {
  let end: WatchEnd?

  static var command: Command<any CommandBody> {
    Command("watch") {
      .init(
        summary: "Follow your session as it changes",
        discussion: [
          "Prints a line for each change of your session and account, whichever process makes it, until you press ^C. "
            + "Watching is not activity."
        ],
        options: [Options.until],
        examples: [
          .init("watch", "follows until ^C"),
          .init("watch --until logged-out", "waits for the end of the session"),
          .init("watch --json", "prints a JSON document for each change"),
        ],
        statuses: .of(.done, .usage, .cannotTell)
      ) { words throws(UsageError) in
        WatchCommand(end: try words[Options.until])
      }
    }
  }

  var onlyLooks: Bool { true }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.watch(until: end)
  }
}

extension Options {
  fileprivate static let until = Option.optional(
    "until", "STATE", ValueKind<WatchEnd>.choice("a state to wait for"), "Exit when this state is reached")
}

extension Workspace {
  /// `watch`: a line for each change of this context's session and user, whichever process makes
  /// it.
  ///
  /// Watching is not activity.
  func watch(until end: WatchEnd?) async throws(CommandError) -> Answer {
    do throws(VaultError) { try vault.prepare() } catch { throw CommandError(error) }
    let sessionFile = try valid { () throws(BackendError) in try vault.changes() }
    let database = try valid { () throws(BackendError) in try backend.changes() }
    var log = WatchLog(globals: globals, output: printer.streams.output, store: store)
    var patience = Self.firstPatience
    while true {
      try listen(to: sessionFile, database)
      var isFileGone = false
      let obstacle = await look(&isFileGone)
      try log.show(obstacle, isFileGone: isFileGone)
      if case .loggedOut = store.state, end == .loggedOut { return Answer(.onlyShows) }
      // Nobody tells when an obstacle goes away, so looking again is all there is, ever more
      // rarely.
      let pause = obstacle == nil ? try timeUntilLimit() : patience
      patience = obstacle == nil ? Self.firstPatience : min(patience * 2, .seconds(60))
      let isSettled = store.session == nil && obstacle == nil
      // Without a session and without doubt, only a session file can change anything.
      try wait(
        for: isSettled ? [sessionFile] : [sessionFile, database], atMost: pause, writingTo: printer.streams.output)
    }
  }

  /// Listens where the session file and the database are.
  ///
  /// There may be no database yet: an account comes before a session.
  private func listen(to sessionFile: any ChangeSource, _ database: any ChangeSource) throws(CommandError) {
    try valid { () throws(BackendError) in
      guard try sessionFile.listen() else {
        throw .unavailable(.watchFailed, places.state.escaped, "it is gone")
      }
      _ = try database.listen()
    }
  }

  /// Looks at the vault and the authority again.
  ///
  /// What was learnt is in the store; returned is why nothing could be. `isFileGone` becomes true
  /// where the session goes on without its file.
  private func look(_ isFileGone: inout Bool) async -> CommandError? {
    if let session = store.session {
      do throws(CommandError) {
        isFileGone = try await store.isGoingOn(session, without: vault, at: backend)
      } catch {
        return error
      }
      do throws(SessionError) {
        try await store.check()
        return nil
      } catch {
        if case .ended = error { return nil }
        return CommandError(error)
      }
    }
    if case .obstructed(let obstacle) = await store.restore() { return CommandError(obstacle) }
    return nil
  }

  /// How long nothing can change by itself: until the next limit.
  ///
  /// A machine that slept is noticed by looking up now and then.
  private func timeUntilLimit() throws(CommandError) -> Duration? {
    guard let earliest = store.session?.limits.earliest else { return nil }
    do throws(ClockError) {
      return min(.seconds(300), max(.milliseconds(1), earliest.uptime - (try backend.clock.now()).uptime))
    } catch {
      throw CommandError(error)
    }
  }

  private static var firstPatience: Duration { .seconds(1) }
}

/// When `watch` ends by itself.
enum WatchEnd: String, Choice {
  case loggedOut = "logged-out"

  var summary: String { "exit when nobody is logged in" }
}
