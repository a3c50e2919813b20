import Synchronization

/// Gives back the records of objects that died.
///
/// Nobody tells us of a death, so the work is done in step with newcomers: while their number grows by half of what is
/// recorded, every shard is visited once. So the dead never number more than about half the living, and a newcomer
/// pays for the look at two or three others. A shard with more dead than living hints at many deaths, and the sweep goes on.
enum RunSweep {
  private static let objects = Atomic(0)
  private static let newcomers = Atomic(0)
  private static let cursor = Atomic(0)
  private static let shardCount = 1 << RunRecords.shardBits
  /// Below this many newcomers per visit, the visits would cost more than the memory is worth.
  private static let fewest = 4

  /// How many objects have records.
  static var recordedObjects: Int { objects.load(ordering: .relaxed) }

  /// Counts an object that has its first record, and visits a shard if it is time to.
  static func newcomer() {
    let recorded = objects.add(1, ordering: .relaxed).newValue
    let due = max(fewest, recorded / (2 * shardCount))
    guard newcomers.add(1, ordering: .relaxed).newValue >= due else { return }
    newcomers.store(0, ordering: .relaxed)
    for _ in 0..<shardCount {
      let shard = cursor.wrappingAdd(1, ordering: .relaxed).oldValue & (shardCount - 1)
      let (gone, kept) = visit(shard)
      if gone <= kept { return }
    }
  }

  /// Removes what is gone from one shard.
  ///
  /// Meanwhile nobody else does, so every address stays pinned while it is looked at.
  private static func visit(_ index: Int) -> (gone: Int, kept: Int) {
    let addresses = RunRecords.withShard(index) { shard -> [UInt] in
      if shard.isBeingSwept { return [] }
      let idle = shard.pins.filter { $0.value.running == 0 }.map(\.key)
      shard.isBeingSwept = !idle.isEmpty
      return idle
    }
    if addresses.isEmpty { return (0, 0) }
    let gone = Set(addresses.filter(ObjectPin.isGone))
    // Keys are the users' values and may have a `deinit`: the old table dies after the lock is left.
    _ = RunRecords.withShard(index) { shard -> RunTable? in
      shard.isBeingSwept = false
      if gone.isEmpty { return nil }
      let old = shard.runs
      shard.pins = shard.pins.filter { !gone.contains($0.key) }
      shard.runs.removeAll(at: gone)
      return old
    }
    objects.subtract(gone.count, ordering: .relaxed)
    return (gone.count, addresses.count - gone.count)
  }
}
