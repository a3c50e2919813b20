import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// `watch [--until STATE]`.
struct WatchCommand: CommandBody {
  let end: WatchEnd?

  static let command = Command<any CommandBody>(
    "watch", summary: "Follow your session as it changes",
    discussion: [
      "Prints a line for each change of your session and account, whichever process makes it, until you press ^C. "
        + "Watching is not activity."
    ],
    options: [until],
    examples: [
      "watch": "follows until ^C",
      "watch --until logged-out": "waits for the end of the session",
      "watch --json": "prints a JSON document for each change",
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words in WatchCommand(end: words[until]) }

  var onlyLooks: Bool { true }

  private static let until = Option.optional(
    "until", "STATE", ValueKind<WatchEnd>.choice("a state to wait for"), "Exit when this state is reached")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let store = workspace.store
    try explained { () throws(VaultError) in try workspace.vault.prepare() }
    let changes = try explained { () throws(BackendError) in try ChangeWait(workspace.vault, workspace.backend) }
    let output = workspace.printer.streams.output
    var log = WatchLog(globals: workspace.globals, output: output, store: store)
    var patience = Self.firstPatience
    while true {
      try explained { () throws(BackendError) in
        guard try changes.listen() else {
          throw .unavailable(.watchFailed, workspace.places.state.escaped, "it is gone")
        }
      }
      var isFileGone = false
      let obstacle = await look(&isFileGone, in: workspace)
      try log.show(obstacle, isFileGone: isFileGone)
      if case .loggedOut = store.state, end == .loggedOut { return Answer(.onlyShows) }
      // Nobody tells when an obstacle goes away, so looking again is all there is, ever more
      // rarely.
      var pause: Duration? = patience
      if obstacle == nil {
        pause = try explained { () throws(ClockError) in
          try store.timeUntilLimit(by: workspace.backend.clock).map { max(.milliseconds(1), $0) }
        }
      }
      patience = obstacle == nil ? Self.firstPatience : min(patience * 2, .seconds(60))
      let isSettled = store.session == nil && obstacle == nil
      // Without a session and without doubt, only a session file can change anything.
      try explained { () throws(BackendError) in
        try changes.wait(atMost: pause, forDatabase: !isSettled, readOn: output)
      }
    }
  }

  /// Looks at the vault and the authority again.
  ///
  /// What was learnt is in the store; returned is why nothing could be. `isFileGone` becomes true
  /// where the session goes on without its file.
  private func look(_ isFileGone: inout Bool, in workspace: Workspace) async -> CommandError? {
    let store = workspace.store
    guard let session = store.session else {
      if case .obstructed(let obstacle) = await store.restore() { return CommandError(obstacle) }
      return nil
    }
    do throws(CommandError) {
      isFileGone = try await store.isGoingOn(session, without: workspace.vault, at: workspace.backend)
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

  private static var firstPatience: Duration { .seconds(1) }
}

/// When `watch` ends by itself.
enum WatchEnd: String, Choice {
  case loggedOut = "logged-out"

  var summary: String { "exit when nobody is logged in" }
}
