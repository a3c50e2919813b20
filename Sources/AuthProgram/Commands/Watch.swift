import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import Guards
import TextFormat

/// `watch [--until STATE]`.
enum WatchCommand {
  static let command = Command<CommandBody>(
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
  ) { _ in .inWorkspace(onlyLooks: true, run) }

  private static let until = Option.optional(
    "until", "STATE", ValueKind<WatchEnd>.choice("a state to wait for"), "Exit when this state is reached")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> Answer {
    let store = workspace.store
    try explained { () throws(VaultError) in try workspace.vault.prepare() }
    let changes = try explained { () throws(BackendError) in try ChangeWait(workspace.vault, workspace.backend) }
    let output = workspace.printer.streams.output
    var log = WatchLog(printer: workspace.printer, store: store)
    var patience = firstPatience
    while true {
      try explained { () throws(BackendError) in
        guard try changes.listen() else {
          throw .unavailable(.watchFailed, workspace.places.state.escaped, "it is gone")
        }
      }
      var isFileGone = false
      let obstacle = await store.look(without: workspace.vault, at: workspace.backend) { isFileGone = $0 }
      try log.show(obstacle, isFileGone: isFileGone)
      if case .loggedOut = store.state, words[until] == .loggedOut { return Answer(.onlyShows) }
      // Nobody tells when an obstacle goes away, so looking again is all there is, ever more
      // rarely.
      var pause: Duration? = patience
      if obstacle == nil {
        pause = try explained { () throws(ClockError) in
          try store.timeUntilLimit(by: workspace.backend.clock).map { max(.milliseconds(1), $0) }
        }
      }
      patience = obstacle == nil ? firstPatience : min(patience * 2, .seconds(60))
      let isSettled = store.session == nil && obstacle == nil
      // Without a session and without doubt, only a session file can change anything.
      try explained { () throws(BackendError) in
        try changes.wait(atMost: pause, forDatabase: !isSettled, readOn: output)
      }
    }
  }

  private static var firstPatience: Duration { .seconds(1) }
}

/// When `watch` ends by itself.
enum WatchEnd: String, Choice {
  case loggedOut = "logged-out"

  var summary: String { "exit when nobody is logged in" }
}

/// What `watch` prints: a line for each change, on a terminal below the navigation bar of the
/// screen that is open.
struct WatchLog {
  private let printer: Printer
  private let store: SessionStore
  private let bar: NavigationBar
  private var screen: WatchScreen?
  /// The session as the screen showed it last.
  private var seen: LoggedInSession?
  private var obstacle: CommandError?
  private var isFileGone = false
  private var isBegun = false
  private var shownBar: String?
  private var output: OutputStream { printer.streams.output }

  init(printer: Printer, store: SessionStore) {
    self.printer = printer
    self.store = store
    bar = NavigationBar(store: store)
  }

  /// Prints what is new since the last look, and what kept that look from seeing anything.
  ///
  /// Nothing new prints nothing.
  mutating func show(_ obstacle: CommandError?, isFileGone: Bool) throws(CommandError) {
    self.isFileGone = isFileGone
    let isBackInSight = self.obstacle != nil && obstacle == nil
    var isTold = showChanges()
    if let obstacle, obstacle != self.obstacle {
      showBar()
      line(
        "cannot tell: \(obstacle.message)", "unavailable",
        ["code": .string(obstacle.code), "message": .string(obstacle.message)])
      isTold = true
    }
    self.obstacle = obstacle
    if obstacle == nil, !isTold, !isBegun || isBackInSight { showStanding() }
    isBegun = true
    showBar()
    try explained { () throws(OutputError) in try output.flush() }
  }

  /// Prints what the screens saw.
  private mutating func showChanges() -> Bool {
    var isAny = false
    for sight in screen?.takeSights() ?? [] { isAny = show(sight) || isAny }
    if screen == nil, let opened = store.open(WatchScreen.self) {
      screen = opened
      for sight in opened.takeSights() { isAny = show(sight) || isAny }
    }
    return isAny
  }

  private mutating func show(_ sight: WatchScreen.Sight) -> Bool {
    switch sight {
    case .session(let session):
      defer { seen = session }
      let user = session.user
      if let seen, seen.user != user {
        line(
          "the user is now \(user.username.escaped) (\(user.displayName.escaped), \(user.role.rawValue))",
          "user_changed", members(session))
      } else if let seen {
        // Activity moves the idle limit, which is no change of the session or the user.
        guard session.limits.fresh != seen.limits.fresh else { return false }
        line("the password was entered again", "reauthenticated", members(session))
      } else {
        showBar()
        showUser(session)
      }
    case .dismissed(let reason):
      (screen, seen) = (nil, nil)
      if reason == .userAsked, isFileGone {
        line(
          "nobody is logged in here: the session file is gone, but its session is still active", "logged_out",
          ["reason": "session_file_gone"])
      } else {
        line("logged out: \(reason.clause)", "logged_out", ["reason": .string(reason.code)])
      }
    }
    return true
  }

  /// Prints how things stand where nothing changed: at the beginning, and when it can be told
  /// again.
  private mutating func showStanding() {
    showBar()
    if let session = store.session {
      showUser(session)
    } else if case .loggedOut(.ended(let reason)) = store.state {
      line("nobody is logged in: \(reason.clause)", "logged_out", ["reason": .string(reason.code)])
    } else {
      line("nobody is logged in", "logged_out", ["reason": nil])
    }
  }

  private func showUser(_ session: LoggedInSession) {
    let user = session.user
    line("logged in as \(user.username.escaped) (\(user.displayName.escaped))", "logged_in", members(session))
  }

  private func members(_ session: LoggedInSession) -> KeyValuePairs<String, JSON> {
    ["user": .user(session.user), "session": ["id": .string(session.id.rawValue)]]
  }

  /// Begins a new screen where the button says something else than before.
  private mutating func showBar() {
    guard output.isTerminal, !printer.asJSON, !printer.isQuiet else { return }
    let bar = Bar(title: "Watch", button: self.bar.button, isPressable: false)
    let line = bar.line(width: output.width, style: output.style)
    guard line != shownBar else { return }
    if shownBar != nil { output.writeLine() }
    output.writeLine(line)
    output.writeLine()
    shownBar = line
  }

  private func line(_ text: String, _ change: String, _ members: KeyValuePairs<String, JSON>) {
    let time = UTCTime(seconds: WallTime.now().seconds)
    if printer.asJSON {
      printer.writeDocument([("at", .string(time.iso8601)), ("change", .string(change))] + Array(members))
    } else if !printer.isQuiet {
      output.writeLine("\(time.local)  \(text)")
    }
  }
}

/// What `watch` shows of a session: it follows the user, and is dismissed when the session ends,
/// with the reason.
final class WatchScreen: GuardedScreen, Sendable {
  /// What happened to the session, in order: it began or changed, or the screen was dismissed.
  enum Sight: Hashable, Sendable {
    case session(LoggedInSession)
    case dismissed(EndReason)
  }

  private let sights: Locked<[Sight]>

  init(session: LoggedInSession) {
    sights = Locked([.session(session)])
  }

  func follow(_ session: LoggedInSession) { sights.withLock { $0.append(.session(session)) } }

  func dismiss(_ reason: EndReason) { sights.withLock { $0.append(.dismissed(reason)) } }

  /// Hands out what was not seen yet.
  func takeSights() -> [Sight] {
    sights.withLock { sights in
      defer { sights = [] }
      return sights
    }
  }
}
