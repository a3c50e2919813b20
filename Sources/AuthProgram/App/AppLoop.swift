import AuthCore
import CommandLineKit
import Glibc
import Guards

/// Draws the state, waits for what happens, and has the work done: the one place where the pure
/// parts meet the world.
struct AppLoop {
  private let work: AppWork
  private let mailbox: AppMailbox
  private let context: String?
  private let colors: Bool
  private var session: AppSession?
  /// One look or page at a time, in order; a person's actions do not wait for them.
  private let lane: AppLane

  /// The context is given where it is not the default one.
  init(work: AppWork, context: String?, colors: Bool) throws(CommandError) {
    self.work = work
    self.context = context
    self.colors = colors
    mailbox = try AppMailbox()
    lane = AppLane()
  }

  /// Shows the screen until somebody quits.
  ///
  /// It never suspends, so it stays on the thread of the program that signals go to.
  mutating func run() throws(CommandError) {
    let isGone: Bool
    do throws(PromptError) {
      var terminal = try ScreenTerminal(colors: colors)
      isGone = try show(on: &terminal)
    } catch {
      throw CommandError(error)
    }
    if isGone { throw CommandError(PromptError.unreadable(source: "the terminal", errno: EIO)) }
  }

  /// - Returns: Whether it ended because the terminal is gone.
  private mutating func show(on terminal: inout ScreenTerminal) throws(PromptError) -> Bool {
    let size = terminal.frame
    var state = AppState(columns: size.columns, rows: size.rows, context: context)
    try terminal.show(state.frame)
    work.waitForChanges(look: { [work, lane, mailbox] in Self.look(work, lane, mailbox) }) { [mailbox] problem in
      mailbox.post(.looked(problem))
    }
    var began: ContinuousClock.Instant?
    while true {
      let happened = try terminal.wait(
        for: [mailbox.wakening], atMost: limit(began.map { .now - $0 }))
      if happened.isGone { return true }
      var messages: [AppMessage] = happened.keys.map { .key($0) }
      if happened.needsFrame {
        let size = terminal.frame
        messages.append(.resized(columns: size.columns, rows: size.rows))
      }
      if work.isLimitReached { Self.look(work, lane, mailbox) }
      if let began { messages.append(.elapsed(Int((.now - began).components.seconds))) }
      // What ended an action was told to the bar before: taken first, so that it is known there.
      let posted = mailbox.take()
      messages += news(state) + posted
      for message in messages {
        for effect in state.update(message) where act(on: effect) { return false }
      }
      began = state.work == nil ? nil : began ?? .now
      try terminal.show(state.frame)
    }
  }

  /// What the bar and the screens were told since.
  private mutating func news(_ state: AppState) -> [AppMessage] {
    var messages: [AppMessage] = []
    if let reason = session?.key.dismissal {
      session = nil
      messages.append(.dismissed(work.sentence(for: reason)))
    }
    if session == nil, let opened = AppSession(work.store) {
      session = opened
      opened.key.onChange { [mailbox] in mailbox.wake() }
    }
    let button = work.bar.button
    if button != state.button { messages.append(.button(button)) }
    return messages
  }

  /// - Returns: Whether it is over.
  private func act(on effect: AppEffect) -> Bool {
    switch effect {
    case .quit: return true
    case .load(let tab, let isActivity):
      lane.submit("\(tab)") { [work, mailbox] in
        mailbox.post(.loaded(tab, await work.page(tab, isActivity: isActivity)))
      }
    case .perform(let action):
      OwnThread.start { [work, mailbox] in mailbox.post(await work.perform(action)) }
    }
    return false
  }

  private static func look(_ work: AppWork, _ lane: AppLane, _ mailbox: AppMailbox) {
    lane.submit("look") { mailbox.post(.looked(await work.look())) }
  }

  private func limit(_ elapsed: Duration?) -> Duration? {
    // Not at once where the limit is reached and the look that finds it out is under way.
    let untilLimit = work.timeUntilLimit.map { max($0, .milliseconds(50)) }
    guard let elapsed else { return untilLimit }
    let untilSecond = Duration.seconds(elapsed.components.seconds + 1) - elapsed
    return min(untilSecond, untilLimit ?? untilSecond)
  }
}
