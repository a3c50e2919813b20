import Guards

/// Has work of the screen done one after the other, in order, away from the thread that draws it.
final class AppLane: Sendable {
  /// What waits, from the next on; what came before it is under way or done.
  ///
  /// To remove the first of a list would make the executable larger.
  private let waiting = Locked<(effects: [AppEffect], next: Int)>(([], 0))
  private let added = Signal()

  /// Begins to work, which ends with the process.
  init(_ work: AppWork, _ mailbox: AppMailbox) throws(CommandError) {
    try OwnThread.start { [self] in
      while true {
        added.wait()
        let effect = waiting.withLock { waiting in
          let effect = waiting.effects[waiting.next]
          waiting.next += 1
          if waiting.next == waiting.effects.count { (waiting.effects, waiting.next) = ([], 0) }
          return effect
        }
        if let message = work.take(effect) { mailbox.post(message) }
      }
    }
  }

  /// Has it done after what waits already, of which none is added again.
  func submit(_ effect: AppEffect) {
    let isNew = waiting.withLock { waiting in
      for index in waiting.next..<waiting.effects.count where waiting.effects[index].isLike(effect) { return false }
      waiting.effects.append(effect)
      return true
    }
    if isNew { added.send() }
  }
}
