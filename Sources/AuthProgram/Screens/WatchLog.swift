import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import Guards
import TextFormat

/// What `watch` prints: a line for each change, on a terminal below the navigation bar of the
/// screen that is open.
struct WatchLog {
  private let globals: GlobalOptions
  private let output: OutputStream
  private let store: SessionStore
  private let bar: NavigationBar
  private var screen: WatchScreen?
  private var obstacle: CommandError?
  private var isFileGone = false
  private var isBegun = false
  private var shownBar: String?

  init(globals: GlobalOptions, output: OutputStream, store: SessionStore) {
    self.globals = globals
    self.output = output
    self.store = store
    bar = NavigationBar(store: store)
  }

  /// Prints what is new since the last look, and what kept that look from seeing anything.
  ///
  /// Nothing new prints nothing.
  mutating func show(_ obstacle: CommandError?, isFileGone: Bool) throws(CommandError) {
    self.isFileGone = isFileGone
    let isBackInSight = self.obstacle != nil && obstacle == nil
    var isTold = try showChanges()
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
  private mutating func showChanges() throws(CommandError) -> Bool {
    var isAny = false
    if let open = screen {
      for sight in open.takeSights() { isAny = show(sight) || isAny }
    }
    if screen == nil, let opened = store.open(WatchScreen.self) {
      screen = opened
      for sight in opened.takeSights() { isAny = show(sight) || isAny }
    }
    return isAny
  }

  private mutating func show(_ sight: WatchScreen.Sight) -> Bool {
    switch sight {
    case .opened(let session):
      showBar()
      showUser(session)
    case .changed(let session, let before) where session.user != before.user:
      let user = session.user
      line(
        "the user is now \(user.username.escaped) (\(user.displayName.escaped), \(user.role.rawValue))",
        "user_changed", members(session))
    case .changed(let session, let before) where session.limits.fresh != before.limits.fresh:
      line("the password was entered again", "reauthenticated", members(session))
    case .changed:
      // Activity moves the idle limit, which is no change of the session or the user.
      return false
    case .dismissed(.userAsked) where isFileGone:
      line(
        "nobody is logged in here: the session file is gone, but its session is still active", "logged_out",
        ["reason": "session_file_gone"])
      screen = nil
    case .dismissed(let reason):
      line("logged out: \(reason.clause)", "logged_out", ["reason": .string(reason.code)])
      screen = nil
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
    guard output.isTerminal, !globals.json, !globals.quiet else { return }
    let line = Bar(title: "Watch", bar: bar).line(width: output.width, style: output.style)
    guard line != shownBar else { return }
    if shownBar != nil { output.writeLine() }
    output.writeLine(line)
    output.writeLine()
    shownBar = line
  }

  private func line(_ text: String, _ change: String, _ members: KeyValuePairs<String, JSON>) {
    let time = UTCTime(seconds: WallTime.now().seconds)
    if globals.json {
      let head: [JSON.Member] = [
        .init(name: "version", value: 1), .init(name: "at", value: .string(time.iso8601)),
        .init(name: "change", value: .string(change)),
      ]
      output.writeLine(JSON.object(head + members.map { JSON.Member(name: $0.key, value: $0.value) }).text)
    } else if !globals.quiet {
      output.writeLine("\(time.local)  \(text)")
    }
  }
}

/// What `watch` shows of a session: it follows the user, and is dismissed when the session ends,
/// with the reason.
final class WatchScreen: GuardedScreen, Sendable {
  /// What happened to the session, in order.
  enum Sight: Hashable, Sendable {
    case opened(LoggedInSession)
    case changed(LoggedInSession, from: LoggedInSession)
    case dismissed(EndReason)
  }

  private struct Storage {
    var session: LoggedInSession
    var sights: [Sight]
  }

  private let storage: Locked<Storage>

  init(session: LoggedInSession) {
    storage = Locked(Storage(session: session, sights: [.opened(session)]))
  }

  func follow(_ session: LoggedInSession) {
    storage.withLock { storage in
      storage.sights.append(.changed(session, from: storage.session))
      storage.session = session
    }
  }

  func dismiss(_ reason: EndReason) {
    storage.withLock { $0.sights.append(.dismissed(reason)) }
  }

  /// Hands out what was not seen yet.
  func takeSights() -> [Sight] {
    storage.withLock { storage in
      defer { storage.sights = [] }
      return storage.sights
    }
  }
}
