import ConcurrencyKit

/// A recorded run, with the references to its object that the sweep needs.
///
/// The weak reference shows whether the object is dead. The unowned reference keeps the object's
/// memory but not the object, so no other object gets its address while the run has a record.
final class RunRecord: Sendable {
  let run: Run
  // Safe: the object may not be Sendable, but the reference is only compared with nil.
  private nonisolated(unsafe) weak let object: AnyObject?
  // Safe: the reference is never read; it only keeps the memory.
  private nonisolated(unsafe) unowned let memory: AnyObject

  init(_ run: Run, _ object: AnyObject) {
    self.run = run
    self.object = object
    memory = object
  }

  /// Whether the object's `deinit` has begun.
  ///
  /// Call it without a lock: reading the weak reference retains the object for a moment. If its
  /// owner releases it meanwhile, its `deinit` runs here.
  var isObjectGone: Bool { object == nil }
}

/// Removes the records of objects that died.
///
/// Nothing reports that an object died, so each new record checks four others, in turn. While more
/// than half of them are removed, it checks four more, up to 64 in total. If some objects come and
/// go while others stay, dead objects have about a third as many records as living ones.
enum RunSweep {
  private struct Queue {
    /// Records to check in this round.
    var next: [RunRecord] = []
    /// Records to check in the next round.
    var later: [RunRecord] = []

    mutating func exchange(_ checked: [RunRecord]) -> [RunRecord] {
      if next.isEmpty {
        next = later
        later = []
      }
      later += checked
      defer { next.removeLast(min(4, next.count)) }
      return Array(next.suffix(4))
    }
  }

  private static let queue = Locked(Queue())

  /// The number of recorded runs.
  static var count: Int { queue.withLock { $0.next.count + $0.later.count } }

  /// Adds a record and checks others.
  static func add(_ record: RunRecord) {
    var needed = [record]
    for _ in 0..<16 {
      let checked = queue.withLock { $0.exchange(needed) }
      needed = checked.filter { !$0.isObjectGone || !RunRecords.forget($0.run) }
      if 2 * needed.count >= checked.count { break }
    }
    queue.withLock { $0.later += needed }
  }
}
