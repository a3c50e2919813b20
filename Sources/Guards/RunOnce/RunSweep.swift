/// A run that has a record, and its object as far as the sweep needs it.
///
/// The weak reference tells whether the object died. The unowned one keeps the object's memory, but
/// not its life, so that no other object gets its address while there is a record of the run.
final class RunRecord: Sendable {
  let run: Run
  // Unsafe for objects that are not Sendable; but neither reference is ever followed.
  private nonisolated(unsafe) weak let object: AnyObject?
  private nonisolated(unsafe) unowned let memory: AnyObject

  init(_ run: Run, _ object: AnyObject) {
    self.run = run
    self.object = object
    memory = object
  }

  /// Whether the object's `deinit` has begun.
  ///
  /// Looking holds the object for a moment. If its owner lets go meanwhile, its `deinit` runs here.
  /// So no lock may be held.
  var isObjectGone: Bool { object == nil }
}

/// Removes the records of objects that died.
///
/// Nothing reports a death, so each new record pays for a look at four others, in turn. While more
/// than half of them are removed, it looks at four more, up to 64 in all. Where objects come and go
/// beside others that stay, there are about a third as many records of the dead as of the living.
enum RunSweep {
  private struct Queue {
    /// Records to look at in this round.
    var next: [RunRecord] = []
    /// Records to look at in the next round.
    var later: [RunRecord] = []

    mutating func exchange(_ looked: [RunRecord]) -> [RunRecord] {
      if next.isEmpty {
        next = later
        later = []
      }
      later += looked
      defer { next.removeLast(min(4, next.count)) }
      return Array(next.suffix(4))
    }
  }

  private static let queue = Locked(Queue())

  /// How many runs have a record.
  static var count: Int { queue.withLock { $0.next.count + $0.later.count } }

  /// Adds a record, and looks at others.
  static func add(_ record: RunRecord) {
    var needed = [record]
    for _ in 0..<16 {
      let looked = queue.withLock { $0.exchange(needed) }
      needed = looked.filter { !$0.isObjectGone || !RunRecords.forget($0.run) }
      if 2 * needed.count >= looked.count { break }
    }
    queue.withLock { $0.later += needed }
  }
}
