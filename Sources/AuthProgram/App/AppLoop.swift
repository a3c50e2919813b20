import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import Glibc
import Guards
import TextFormat

/// Draws the state, waits for what happens, and has the work done: the one place where the pure
/// parts meet the world.
final class AppLoop {
  private let state: AppState
  private let work: any AppWorker
  private let mailbox: AppMailbox
  private var looks = AppLane()
  /// What came before the change of the session that it belongs after.
  private var early: [AppMailbox.News] = []
  /// The number of the last change of the session that was taken in.
  private var revision: UInt64 = 0
  /// Told why the session ended, whatever tab is open.
  private var session: UserScreen?
  /// Whether somebody quit.
  private var isOver = false
  /// The login at the identity provider for which the screen ends: whether it confirms a session.
  private var authentication: Bool?
  /// The text for the clipboard that was not sent yet.
  private var copied: String?
  private let start = ContinuousClock.now

  /// Starts to follow the session; the context is given where it is not the default one.
  init(work: any AppWorker, context: String?, provider: String? = nil) throws(CommandError) {
    state = AppState(columns: 80, rows: 24, context: context, provider: provider, epoch: WallTime.now().seconds)
    self.work = work
    work.store.keepSteps(40) { .now }
    mailbox = try AppMailbox()
    WorkThreads.withoutSignals.start { [work, mailbox] in
      for await change in work.store.transitions { mailbox.post(.changed(change)) }
    }
    WorkThreads.withoutSignals.start { [work, mailbox] in await work.followChanges { mailbox.post(.outside($0)) } }
  }

  /// Shows the screen until somebody quits, or is to log in at the identity provider.
  ///
  /// It never suspends, so it stays on the thread of the program that signals go to.
  ///
  /// - Returns: Whether the login confirms a session; nil if somebody quit. After the login, hand
  ///   its result to ``take(_:)`` and run again.
  func run(colors: Bool, isASCII: Bool) throws(CommandError) -> Bool? {
    var terminal = try ScreenTerminal(colors: colors, isASCII: isASCII)
    var (needsSize, isUncertain) = (true, false)
    while !isOver, authentication == nil {
      if needsSize { take(.resized(columns: terminal.size.columns, rows: terminal.size.rows)) }
      if isUncertain { terminal.forget() }
      terminal.readMouse(state.readsMouse)
      if let text = copied.take() { terminal.copy(text) }
      try terminal.show(state.frame)
      isUncertain = false
      needsSize = try terminal.wait(for: mailbox.wakening, atMost: limit) { key in
        if key == .control("l") { isUncertain = true }
        take(.key(key))
      }
      takeNews()
    }
    if let problem = state.lastProblem { throw problem }
    return authentication.take()
  }

  /// Takes in what happened.
  private func takeNews() {
    if isOver { return }
    if let left = work.timeUntilLimit, left <= .zero { submit(.look) }
    take(work.sessionEnd)
    var news: [AppMailbox.News]
    early += mailbox.take()
    repeat {
      (news, early) = (early, [])
      for news in news { take(news) }
    } while early.count < news.count
  }

  private func take(_ news: AppMailbox.News) {
    switch news {
    case .changed(let change): take(change)
    case .outside(let problem):
      submit(.look)
      if let problem { take(.looked(problem)) }
    case .done(let message, let revision):
      guard revision <= self.revision else { return early.append(news) }
      if case .finished = message {} else { run(looks.finish()) }
      take(message)
    }
  }

  /// Tells the state who is logged in, and why nobody is any more.
  private func take(_ change: SessionChange) {
    revision = change.revision
    if let reason = session?.key.dismissal {
      session = nil
      take(.dismissed(work.sentence(for: reason)))
    }
    if session == nil { session = work.store.open(UserScreen.self) }
    switch change.snapshot {
    // A login that was begun before it is known who is logged in tells nobody that.
    case .restoring, .authenticating, .challenged(_, nil): return
    case .loggedOut, .challenged, .loggedIn, .renewing, .loggingOut: break
    }
    take(.button(change.snapshot.session.map { .logOut($0.user) } ?? .logIn))
  }

  func take(_ message: AppMessage) {
    if isOver { return }
    for effect in state.update(message, at: .now - start) {
      switch effect {
      case .quit: isOver = true
      case .authenticate(let isConfirming): authentication = isConfirming
      case .copy(let text): copied = text
      case .look, .load, .renew, .perform: submit(effect)
      }
    }
  }

  /// Actions do not wait for looks, and the state begins one at a time.
  private func submit(_ effect: AppEffect) {
    if case .perform = effect { run(effect) } else { run(looks.add(effect)) }
  }

  private func run(_ effect: AppEffect?) {
    guard let effect else { return }
    WorkThreads.withoutSignals.start { [work, mailbox] in
      let message = await work.take(effect)
      mailbox.post(.done(message, after: work.store.revision))
    }
  }

  /// How long nothing needs to be done: until the screen changes by itself, or the next limit.
  private var limit: Duration? {
    // Not at once where the limit is reached and the look that finds it out is under way.
    let untilLimit = work.timeUntilLimit.map { max($0, .milliseconds(50)) }
    let untilChange = state.nextChange.map { $0 - (.now - start) }
    return [untilLimit, untilChange].compactMap(\.self).min()
  }
}

/// What happened on other threads, for the one that draws: it waits for ``wakening`` to be
/// readable.
///
/// It lives as long as the process.
final class AppMailbox: Sendable {
  /// What came, in order.
  enum News: Sendable {
    /// The session changed.
    case changed(SessionChange)
    /// Work is done; it belongs after the change of the session with this number.
    case done(AppMessage, after: UInt64)
    /// Another process may have changed what shows; or why that cannot be told.
    case outside(CommandError?)
  }

  private let news = Locked<[News]>([])
  /// Readable when there may be something to take.
  let wakening: Int32
  private let waking: Int32

  init() throws(CommandError) {
    guard let ends = makeWakeningPipe() else {
      throw CommandError(BackendError.unavailable(.watchFailed, "changes", ErrorNumber.current.explanation))
    }
    (wakening, waking) = ends
  }

  func post(_ news: News) {
    self.news.withLock { $0.append(news) }
    var byte: UInt8 = 1
    // A full pipe is readable, which is all that counts.
    _ = write(waking, &byte, 1)
  }

  /// Takes what was posted, in order.
  func take() -> [News] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakening, &bytes, bytes.count) > 0 {}
    return news.withLock { news in
      defer { news = [] }
      return news
    }
  }
}
