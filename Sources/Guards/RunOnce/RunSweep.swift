import Synchronization

/// Gives back the records of objects that died.
///
/// Nobody tells us of a death, so the work is done in step with newcomers: each pays for a look at three objects with
/// records, and the shards are visited in turn as they can be paid for. So while newcomers come to a third of what is
/// recorded, all of it is looked at once, and the dead among those who come and go number at most half the living.
/// A shard with more dead than living hints at many deaths: it costs nothing, and the sweep goes on.
enum RunSweep {
  private static let objects = Atomic(0)
  /// How many looks are paid for and were not taken; less than nothing while a large shard is being paid off.
  private static let credit = Atomic(0)
  private static let cursor = Atomic(0)
  private static let shardCount = 1 << RunRecords.shardBits

  /// How many objects have records.
  static var recordedObjects: Int { objects.load(ordering: .relaxed) }

  /// Counts an object that has its first record, and visits the shards that its looks can pay for.
  static func newcomer() {
    objects.add(1, ordering: .relaxed)
    guard credit.wrappingAdd(3, ordering: .relaxed).newValue > 0 else { return }
    for _ in 0..<shardCount {
      guard let shard = next() else { return }
      let (looked, gone) = visit(shard)
      if 2 * gone > looked { continue }
      guard credit.wrappingSubtract(max(looked, 1), ordering: .relaxed).newValue > 0 else { return }
    }
  }

  /// The shard whose turn it is, among those that have records.
  private static func next() -> Int? {
    let occupied = RunRecords.occupied.load(ordering: .relaxed)
    let start = cursor.load(ordering: .relaxed) & (shardCount - 1)
    // Turned so that the lowest bit is the one of `start`.
    let turned = occupied >> UInt64(start) | occupied << UInt64(shardCount - start)
    if turned == 0 { return nil }
    let shard = (start + turned.trailingZeroBitCount) & (shardCount - 1)
    cursor.store(shard + 1, ordering: .relaxed)
    return shard
  }

  /// Removes what is gone from one shard.
  ///
  /// Meanwhile nobody else does, so every address stays pinned while it is looked at.
  private static func visit(_ index: Int) -> (looked: Int, gone: Int) {
    let (looked, addresses) = RunRecords.withShard(index) { shard -> (Int, [UInt]) in
      if shard.isBeingSwept { return (0, []) }
      let idle = shard.pins.compactMap { $0.value.running == 0 ? $0.key : nil }
      shard.isBeingSwept = !idle.isEmpty
      return (shard.pins.count, idle)
    }
    if addresses.isEmpty { return (looked, 0) }
    let gone = Set(addresses.filter(ObjectPin.isGone))
    // Keys are the users' values and may have a `deinit`: the old table dies after the lock is left.
    _ = RunRecords.withShard(index) { shard -> RunTable? in
      shard.isBeingSwept = false
      if gone.isEmpty { return nil }
      let old = shard.runs
      shard.pins = shard.pins.filter { !gone.contains($0.key) }
      shard.runs.removeAll(at: gone)
      if shard.pins.isEmpty { RunRecords.occupied.bitwiseXor(1 << UInt64(index), ordering: .relaxed) }
      return old
    }
    objects.subtract(gone.count, ordering: .relaxed)
    return (looked, gone.count)
  }
}
