import Synchronization

/// The memory of `RunOnce`: shards by address, so that objects do not wait for each other.
///
/// A run that is known takes the lock of its object's shard, for as long as a look into a table, and nothing else is shared.
@usableFromInline
enum RunRecords {
  struct Shard {
    var runs = RunTable()
    var pins: [UInt: ObjectPin] = [:]
    var flights: [Run: RunFlight] = [:]
    var isBeingSwept = false
  }

  static let shardBits = 6
  private static let shards = InlineArray<64, Locked<Shard>> { _ in Locked(Shard()) }
  /// A bit for each shard that has records; it is changed with the lock of that shard held.
  static let occupied = Atomic<UInt64>(0)

  static func withShard<Result>(_ index: Int, _ body: (inout sending Shard) -> sending Result) -> sending Result {
    shards[index].withLock(body)
  }

  static func withShard<Result>(of run: Run, _ body: (inout sending Shard) -> sending Result) -> sending Result {
    withShard(index(of: run), body)
  }

  private static func index(of run: Run) -> Int {
    Int(truncatingIfNeeded: run.spreadAddress >> (64 - UInt64(shardBits)))
  }

  /// Takes `run` for the caller, who must then call ``end(_:_:)``.
  ///
  /// - Returns: Nil when the caller has it; or the answer, when it is somebody else's, done, or too late.
  @usableFromInline
  static func begin(_ run: Run, on object: AnyObject) -> RunOnce.Outcome? {
    if let answer = withShard(of: run, { answer($0.runs[run]) }) { return answer }
    guard ObjectPin.isLive(object) else { return .tooLate }
    var isNewcomer = false
    let found = withShard(of: run) { shard -> RunOnce.Outcome? in
      if let answer = answer(shard.runs[run]) { return answer }
      let pin = shard.pins[run.address] ?? ObjectPin(at: run.address)
      if shard.pins.isEmpty { occupied.bitwiseOr(1 << UInt64(index(of: run)), ordering: .relaxed) }
      isNewcomer = pin.running == 0 && shard.pins.updateValue(pin, forKey: run.address) == nil
      pin.running += 1
      shard.runs[run] = .running
      return nil
    }
    if isNewcomer { RunSweep.newcomer() }
    return found
  }

  /// Ends a run that ``begin(_:on:)`` gave, and tells those who wait for it.
  @usableFromInline
  static func end(_ run: Run, _ phase: RunTable.Phase) {
    let flight = withShard(of: run) { shard in
      shard.runs[run] = phase
      shard.pins[run.address]?.running -= 1
      return shard.flights.isEmpty ? nil : shard.flights.removeValue(forKey: run)
    }
    flight?.land()
  }

  /// What to wait for, if `run` is running; nil if it is not.
  static func flight(of run: Run) -> RunFlight? {
    withShard(of: run) { shard in
      guard shard.runs[run] == .running else { return nil }
      let flight = shard.flights[run] ?? RunFlight()
      shard.flights[run] = flight
      return flight
    }
  }

  @inline(__always)
  private static func answer(_ phase: RunTable.Phase) -> RunOnce.Outcome? {
    switch phase {
    case .idle: nil
    case .running: .stillRunning
    case .done: .alreadyRan
    }
  }
}
