import Guards

/// Has the work of the screen done, away from the thread that draws it.
///
/// Looks and pages are taken one at a time, in order. One that waits already is not added again. A
/// person's actions do not wait for them.
final class AppLane: Sendable {
  private struct Queue {
    var waiting: [AppEffect] = []
    var isBusy = false
  }

  private let work: AppWork
  private let mailbox: AppMailbox
  private let queue = Locked(Queue())

  init(_ work: AppWork, _ mailbox: AppMailbox) {
    self.work = work
    self.mailbox = mailbox
  }

  /// Has an action done, now.
  func perform(_ action: AppAction) {
    OwnThread.start { [work, mailbox] in mailbox.post(await work.perform(action)) }
  }

  /// Has a look taken or a tab loaded, after those that wait already.
  func submit(_ effect: AppEffect) {
    queue.withLock { queue in
      if !queue.waiting.contains(effect) { queue.waiting.append(effect) }
    }
    startNext()
  }

  private func startNext() {
    let next: AppEffect? = queue.withLock { queue in
      guard !queue.isBusy, !queue.waiting.isEmpty else { return nil }
      queue.isBusy = true
      return queue.waiting.removeFirst()
    }
    guard let next else { return }
    OwnThread.start { [self] in
      if let message = await work.look(next) { mailbox.post(message) }
      queue.withLock { $0.isBusy = false }
      startNext()
    }
  }
}
