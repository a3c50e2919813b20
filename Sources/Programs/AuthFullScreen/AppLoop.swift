import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
package import CommandLineKit
import ConcurrencyKit
import Glibc
import TextFormat

/// The loop of the full-screen program: it draws the state, waits for input and starts the work.
package final class AppLoop {
  private let state: AppState
  private let work: any AppWorker
  private let mailbox: AppMailbox
  private var checks = AppLane()
  /// Results that arrived before the change of the session that must be shown first.
  private var early: [AppMailbox.News] = []
  /// The revision of the last session change in the state.
  private var revision: UInt64 = 0
  /// An open screen of the session, through which the store reports why the session ended.
  private var session: UserScreen?
  /// Whether the user quit.
  private var isOver = false
  /// Set to leave the screen for a login at the identity provider: whether it confirms a session.
  private var authentication: Bool?
  /// Text for the clipboard, which the next frame sends.
  private var copied: String?
  private let start = ContinuousClock.now

  /// Starts to follow the session; `context` is nil for the default context.
  package init(work: any AppWorker, context: String?, provider: String? = nil) throws(CommandError) {
    state = AppState(
      columns: 80, rows: 24, context: context, provider: provider, epoch: WallTime.now().seconds,
      canConfirm: work.canConfirm)
    self.work = work
    work.store.keepSteps(40) { .now }
    mailbox = try AppMailbox()
    WorkThreads.withoutSignals.start { [work, mailbox] in
      for await change in work.store.transitions { mailbox.post(.changed(change)) }
    }
    WorkThreads.withoutSignals.start { [work, mailbox] in await work.followChanges { mailbox.post(.outside($0)) } }
  }

  /// Shows the screen until the user quits, or must log in at the identity provider.
  ///
  /// It never suspends, so it stays on the thread that receives the signals of the program.
  ///
  /// - Returns: Nil if the user quit; otherwise, whether the login confirms a session. After the
  ///   login, pass its result to ``take(_:)`` and call this again.
  package func run(colors: Bool, isASCII: Bool) throws(CommandError) -> Bool? {
    var terminal = try ScreenTerminal(colors: colors, isASCII: isASCII)
    do throws(CommandError) {
      try show(on: &terminal)
    } catch {
      // Actions of the screen may have been made before, or at this moment.
      throw error.withHint("Open the screen again, and check whether your last change was made: \(run: "app")")
    }
    if let problem = state.lastProblem { throw problem }
    return authentication.take()
  }

  private func show(on terminal: inout ScreenTerminal) throws(CommandError) {
    var (needsSize, isUncertain) = (true, false)
    while !isOver, authentication == nil {
      if needsSize { take(.resized(columns: terminal.size.columns, rows: terminal.size.rows)) }
      if isUncertain { terminal.forget() }
      terminal.readMouse(state.readsMouseNow)
      if let text = copied.take() { terminal.copy(text) }
      try terminal.show(state.frame)
      isUncertain = false
      needsSize = try terminal.wait(for: mailbox.wakening, atMost: limit) { key in
        if key == .control("l") { isUncertain = true }
        take(.key(key))
      }
      takeNews()
    }
  }

  /// Handles what other threads posted.
  private func takeNews() {
    if isOver { return }
    if let left = work.timeUntilLimit, left <= .zero { submit(.check) }
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
      submit(.check)
      if let problem { take(.checked(problem)) }
    case .done(let message, let revision):
      guard revision <= self.revision else { return early.append(news) }
      switch message {
      case .finished, .written: break
      case _: run(checks.finish())
      }
      take(message)
    }
  }

  /// Updates the state after a session change: who is logged in, or why the session ended.
  private func take(_ change: SessionChange) {
    revision = change.revision
    if let reason = session?.key.dismissal {
      session = nil
      take(.dismissed(work.sentence(for: reason)))
    }
    if session == nil { session = work.store.open(UserScreen.self) }
    switch change.snapshot {
    // It is not known yet who is logged in, even if a login has started.
    case .restoring, .authenticating, .challenged(_, nil): return
    case .loggedOut, .challenged, .loggedIn, .renewing, .loggingOut: break
    }
    take(.button(change.snapshot.session.map { .logOut($0.user) } ?? .logIn))
  }

  package func take(_ message: AppMessage) {
    if isOver { return }
    for effect in state.update(message, at: .now - start) {
      switch effect {
      case .quit: isOver = true
      case .authenticate(let isConfirming): authentication = isConfirming
      case .copy(let text): copied = text
      case .copySecret: copied = state.secretShown
      case .writeCodes: writeCodes()
      case .check, .load, .renew, .perform: submit(effect)
      }
    }
  }

  /// Starts an action immediately, and queues session checks and page loads.
  ///
  /// The state starts only one action at a time.
  private func submit(_ effect: AppEffect) {
    if case .perform = effect { run(effect) } else { run(checks.add(effect)) }
  }

  private func run(_ effect: AppEffect?) {
    guard let effect else { return }
    WorkThreads.withoutSignals.start { [work, mailbox] in
      let message = await work.take(effect)
      mailbox.post(.done(message, after: work.store.revision))
    }
  }

  /// Writes the codes of the page on another thread, because a disk may be slow.
  private func writeCodes() {
    guard let page = state.interruption, let codes = page.codes else { return }
    WorkThreads.withoutSignals.start { [mailbox] in
      mailbox.post(.done(.written(CodesFile.write(codes + "\n", as: page.fileName)), after: 0))
    }
  }

  /// The time until the screen changes by itself, or until the next limit of the session.
  private var limit: Duration? {
    // At least 50 ms, because the check that ends the session at its limit may still be running.
    let untilLimit = work.timeUntilLimit.map { min(max($0, .milliseconds(50)), .longestWaitForLimit) }
    let untilChange = state.nextChange.map { $0 - (.now - start) }
    return [untilLimit, untilChange].compactMap(\.self).min()
  }
}

/// A queue from other threads to the one that draws, which waits until ``wakening`` is readable.
///
/// It lives as long as the process.
final class AppMailbox: Sendable {
  /// A message of another thread.
  enum News: Sendable {
    /// The session changed.
    case changed(SessionChange)
    /// The result of work, to be shown after the session change with this revision.
    case done(AppMessage, after: UInt64)
    /// Another process may have changed something; the error if changes cannot be followed.
    case outside(CommandError?)
  }

  private let news = Locked<[News]>([])
  /// A descriptor that is readable when the queue may have messages.
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
    // If the pipe is full, it is readable already.
    _ = write(waking, &byte, 1)
  }

  /// Removes and returns the posted messages, in order.
  func take() -> [News] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakening, &bytes, bytes.count) > 0 {}
    return news.withLock { news in
      defer { news = [] }
      return news
    }
  }
}
