import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `watch [--until STATE]`.
enum WatchCommand {
  static let command = Command<CommandBody>(
    "watch", summary: "Follow your session as it changes",
    discussion: [
      "Prints a line for each login, logout, password check and change of your name or role, whichever process makes "
        + "it; payments print none. ^C ends it with status 130. It is not activity: it does not prolong the session."
    ],
    options: [until],
    examples: [
      "watch": "follows until ^C",
      "watch --until logged-out": "waits for the end of the session",
      "watch --json": "prints a JSON document for each change",
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { _ in .anywhere(use: .readsOnly, withoutLogin: .done, atDatabase: run, atProvider: run) }

  private static let until = Option.optional(
    "until", "STATE", ValueKind<WatchEnd>.choice("a state to wait for"), "Exit when this state is reached")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    try await watch(words, in: workspace, workspace.backend) { note in
      await workspace.store.checkAgain(without: workspace.vault, at: workspace.backend, noteFile: note)
    }
  }

  private static func run(
    _ words: ParsedWords, in workspace: ProviderWorkspace
  ) async throws(CommandError) -> CommandResult {
    try await watch(words, in: workspace, nil) { _ in await workspace.store.checkOrRestore() }
  }

  private static func watch(
    _ words: ParsedWords, in workspace: ContextWorkspace, _ backend: (any Backend)?,
    check: (_ noteFile: (Bool) -> Void) async -> CommandError?
  ) async throws(CommandError) -> CommandResult {
    let store = workspace.store
    try explained { () throws(VaultError) in try workspace.vault.prepare() }
    let changes = try explained { () throws(BackendError) in try ChangeWait(workspace.vault, backend) }
    let output = workspace.output.streams.output
    var log = WatchLog(workspace)
    var patience = firstPatience
    while true {
      var isFileGone = false
      let isThere = try explained { () throws(BackendError) in try changes.listen() }
      let obstacle = isThere ? await check { isFileGone = $0 } : nil
      // A directory that was moved away meanwhile looks like a logout, or like a missing database.
      guard isThere, changes.hasDirectory else {
        throw CommandError(BackendError.unavailable(.watchFailed, workspace.directories.state.escaped, "it is gone"))
      }
      try log.show(obstacle, isFileGone: isFileGone)
      if case .loggedOut = store.state, words[until] == .loggedOut { return CommandResult(.onlyShows) }
      // No notification says that an error is gone, so it checks again, after ever longer pauses.
      var pause: Duration? = patience
      if obstacle == nil {
        pause = try explained { () throws(ClockError) in
          try store.timeUntilLimit(by: workspace.clock).map { min(max(.milliseconds(1), $0), .longestWaitForLimit) }
        }
      }
      patience = obstacle == nil ? firstPatience : min(patience * 2, .seconds(60))
      let isSettled = store.session == nil && obstacle == nil
      // If it is certain that nobody is logged in, only a new session file can change that.
      try explained { () throws(BackendError) in
        try changes.wait(atMost: pause, forDatabase: !isSettled, readOn: output)
      }
    }
  }

  private static var firstPatience: Duration { .seconds(1) }
}

/// The condition under which `watch` ends by itself.
enum WatchEnd: String, Choice {
  case loggedOut = "logged-out"

  var summary: String { "exit when nobody is logged in" }
}

/// The output of `watch`: a line for each change, on a terminal below the navigation bar.
struct WatchLog {
  private let workspace: ContextWorkspace
  /// An open screen of the session, which the store closes with the reason when the session ends.
  private var screen: UserScreen?
  private var seen: LoggedInSession?
  private var obstacle: CommandError?
  /// Whether the next successful check prints the state: the first one, and the first after an
  /// error.
  private var isStateDue = true
  private var shownBar: [String] = []
  private var output: CommandOutput { workspace.output }
  private var stream: OutputStream { output.streams.output }

  init(_ workspace: ContextWorkspace) {
    self.workspace = workspace
  }

  /// Prints the changes since the last check, or the new error of this check.
  mutating func show(_ obstacle: CommandError?, isFileGone: Bool) throws(CommandError) {
    let isPrinted = showChanges(isFileGone: isFileGone)
    if let obstacle, obstacle != self.obstacle {
      showBar()
      line(
        "cannot tell: \(obstacle.message)", "unavailable",
        ["code": .string(obstacle.code), "message": .string(obstacle.message)])
    }
    self.obstacle = obstacle
    if obstacle == nil, !isPrinted, isStateDue { showState() }
    isStateDue = obstacle != nil
    showBar()
    try stream.flush()
  }

  /// Prints the changes of the session, and opens a screen for a new session.
  private mutating func showChanges(isFileGone: Bool) -> Bool {
    var isAny = false
    if let key = screen?.key {
      isAny = showChange(to: key.session)
      if let reason = key.dismissal {
        showEnd(reason, isFileGone: isFileGone)
        (screen, seen, isAny) = (nil, nil, true)
      }
    }
    if screen == nil, let opened = workspace.store.open(UserScreen.self) {
      (screen, seen, isAny) = (opened, opened.session, true)
      showBar()
      showUser(opened.session)
    }
    return isAny
  }

  private mutating func showChange(to session: LoggedInSession) -> Bool {
    defer { seen = session }
    let user = session.user
    if user != seen?.user {
      line(
        "the user is now \(user.username.escaped) (\(user.displayName.escaped), \(user.role.rawValue))", "user_changed",
        members(session))
      return true
    }
    // Activity moves the idle limit, which does not count as a change.
    guard session.limits.fresh != seen?.limits.fresh else { return false }
    line("the password was entered again", "reauthenticated", members(session))
    return true
  }

  private func showEnd(_ reason: EndReason, isFileGone: Bool) {
    if reason == .userAsked, isFileGone {
      line(
        "nobody is logged in here: the session file is gone, but its session is still active", "logged_out",
        ["reason": "session_file_gone"])
    } else {
      line("logged out: \(reason.clause)", "logged_out", ["reason": .string(reason.code)])
    }
  }

  /// Prints the state if nothing changed.
  private mutating func showState() {
    showBar()
    if let seen { return showUser(seen) }
    let reason = workspace.store.endReason
    line(
      "nobody is logged in" + (reason.map { ": \($0.clause)" } ?? ""), "logged_out",
      ["reason": .string(orNull: reason?.code)])
  }

  private func showUser(_ session: LoggedInSession) {
    let user = session.user
    line("logged in as \(user.username.escaped) (\(user.displayName.escaped))", "logged_in", members(session))
  }

  private func members(_ session: LoggedInSession) -> JSON {
    ["user": .user(session.user), "session": ["id": .string(session.id.rawValue)]]
  }

  /// Prints the navigation bar if it differs from the last one.
  private mutating func showBar() {
    let bar = workspace.bar("Watch")
    guard !output.asJSON, !output.isQuiet, bar != shownBar else { return }
    if !shownBar.isEmpty { stream.writeLine() }
    for line in bar { stream.writeLine(line) }
    shownBar = bar
  }

  private func line(_ text: String, _ change: String, _ members: JSON) {
    let time = UTCTime(seconds: WallTime.now().seconds)
    if output.asJSON {
      output.writeDocument(["at": .string(time.iso8601), "change": .string(change)] + members)
    } else if !output.isQuiet {
      stream.writeLine("\(time.local)  \(text)")
    }
  }
}
