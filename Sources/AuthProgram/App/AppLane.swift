import Guards

/// Has work of the screen done one after the other, in order, away from the thread that draws it.
final class AppLane: Sendable {
  private let waiting = Locked<[AppEffect]>([])
  private let added = Signal()

  /// Begins to work, which ends with the process.
  init(_ work: AppWork, _ mailbox: AppMailbox) throws(CommandError) {
    try OwnThread.start { [self] in
      while true {
        added.wait()
        let effect = waiting.withLock { $0.removeFirst() }
        if let message = work.take(effect) { mailbox.post(message) }
      }
    }
  }

  /// Has it done after what waits already, of which none is added again.
  func submit(_ effect: AppEffect) {
    let isNew = waiting.withLock { waiting in
      let isNew = !waiting.contains { $0.isLike(effect) }
      if isNew { waiting.append(effect) }
      return isNew
    }
    if isNew { added.send() }
  }
}
