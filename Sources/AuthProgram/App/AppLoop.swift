import AuthCore
import CommandLineKit
import Glibc

/// Draws the state, waits for what happens, and has the work done: the one place where the pure
/// parts meet the world.
final class AppLoop {
  private let state: AppState
  private let work: AppWork
  private let mailbox: AppMailbox
  /// Looks and pages, and what a person does, which does not wait for them.
  private let looks: AppLane
  private let actions: AppLane
  /// Told why the session ended, whatever tab is open.
  private var session: ProfileScreen?
  private let start = ContinuousClock.now

  /// Begins to look; the context is given where it is not the default one.
  init(work: AppWork, context: String?) throws(CommandError) {
    state = AppState(columns: 80, rows: 24, context: context)
    self.work = work
    mailbox = try AppMailbox()
    looks = try AppLane(work, mailbox)
    actions = try AppLane(work, mailbox)
    try work.waitForChanges { [looks, mailbox] problem in
      if let problem { mailbox.post(.looked(problem)) }
      looks.submit(.look)
    }
  }

  /// Shows the screen until somebody quits.
  ///
  /// It never suspends, so it stays on the thread of the program that signals go to.
  func run(colors: Bool) throws(CommandError) {
    do throws(PromptError) {
      var terminal = try ScreenTerminal(colors: colors)
      resize(to: terminal)
      try terminal.show(state.frame)
      while true {
        var isOver = false
        var isUncertain = false
        let happened = try terminal.wait(for: mailbox.wakening, atMost: limit) { key in
          if key == .control("l") { isUncertain = true }
          isOver = isOver || take(.key(key))
        }
        if happened.isGone { throw .unreadable(source: "the terminal", errno: EIO) }
        if happened.needsFrame { resize(to: terminal) }
        if isOver || takeNews() { return }
        if isUncertain { terminal.forget() }
        try terminal.show(state.frame)
      }
    } catch {
      throw CommandError(error)
    }
  }

  private func resize(to terminal: borrowing ScreenTerminal) {
    let size = terminal.frame
    _ = take(.resized(columns: size.columns, rows: size.rows))
  }

  /// Takes in what happened.
  ///
  /// - Returns: Whether it is over.
  private func takeNews() -> Bool {
    if work.isLimitReached { looks.submit(.look) }
    if take(.tick) { return true }
    // What ended an action was told to the bar before: taken first, so that it is known there.
    let posted = mailbox.take()
    if let reason = session?.key.dismissal {
      session = nil
      if take(.dismissed(work.sentence(for: reason))) { return true }
    }
    if session == nil, let opened = ProfileScreen(work.store) {
      session = opened
      opened.key.onChange { [mailbox] in mailbox.wake() }
    }
    let button = work.bar.button
    if button != state.button, take(.button(button)) { return true }
    for message in posted where take(message) { return true }
    return false
  }

  /// - Returns: Whether it is over.
  private func take(_ message: AppMessage) -> Bool {
    guard let effect = state.update(message, at: .now - start) else { return false }
    switch effect {
    case .quit: return true
    case .look, .load: looks.submit(effect)
    case .perform: actions.submit(effect)
    }
    return false
  }

  /// How long nothing needs to be done: until the screen changes by itself, or the next limit.
  private var limit: Duration? {
    // Not at once where the limit is reached and the look that finds it out is under way.
    let untilLimit = work.timeUntilLimit.map { max($0, .milliseconds(50)) }
    guard let change = state.nextChange else { return untilLimit }
    let untilChange = change - (.now - start)
    return min(untilChange, untilLimit ?? untilChange)
  }
}
