/// What is known of runs, in one shard: an open-addressed table with linear probing.
///
/// A `Dictionary` of the same costs two to three times as much per look, most of it for hashing.
@usableFromInline
struct RunTable {
  /// How far a run has come.
  @usableFromInline
  enum Phase: Sendable {
    /// It failed and may be tried again; or the slot is free.
    case idle
    /// Its body is running.
    case running
    /// Its body has ended.
    case done
  }

  private struct Slot {
    var address: UInt = 0
    var position: UInt64 = 0
    var file: UInt = 0
    var key: RunKey?
    var phase = Phase.idle
  }

  private var slots: [Slot] = []
  private var used = 0

  /// The phase of `run`, or idle when nothing is known of it.
  subscript(run: Run) -> Phase {
    get {
      guard let index = index(of: run) else { return .idle }
      return slots[index].phase
    }
    set {
      if 4 * (used + 1) > 3 * slots.count { resize(toHold: used + 1) }
      guard let index = index(of: run) else { return }
      if slots[index].address == 0 {
        used += 1
        slots[index] = Slot(address: run.address, position: run.position, file: run.file, key: run.key)
      }
      slots[index].phase = newValue
    }
  }

  /// Forgets the runs of the objects that were at `addresses`, and gives back the room.
  mutating func removeAll(at addresses: Set<UInt>) {
    resize(toHold: 0, without: addresses)
  }

  /// Where `run` is, or the free slot where it would be; nil only in a table without slots.
  @inline(__always)
  private func index(of run: Run) -> Int? {
    if slots.isEmpty { return nil }
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: run.spread) & mask
    while slots[index].address != 0 {
      if slots[index].address == run.address, slots[index].position == run.position, isSameSite(run, index) { break }
      index = (index + 1) & mask
    }
    return index
  }

  /// The key is fetched only where there is one, to spare the common case its reference counting.
  @inline(__always)
  private func isSameSite(_ run: Run, _ index: Int) -> Bool {
    if slots[index].file != run.file { return Run.isSameText(slots[index].file, run.file) }
    return run.file != 0 || Run.isSameKey(slots[index].key, run.key)
  }

  /// Moves what is kept into a table that is at most three quarters and, if it is not tiny, at least three eighths full.
  private mutating func resize(toHold count: Int, without gone: Set<UInt> = []) {
    let kept = slots.filter { $0.address != 0 && !gone.contains($0.address) }
    var capacity = 8
    while 4 * max(count, kept.count) > 3 * capacity { capacity *= 2 }
    slots = [Slot](repeating: Slot(), count: capacity)
    used = kept.count
    for slot in kept {
      let run = Run(address: slot.address, position: slot.position, file: slot.file, key: slot.key)
      if let index = index(of: run) { slots[index] = slot }
    }
  }
}
