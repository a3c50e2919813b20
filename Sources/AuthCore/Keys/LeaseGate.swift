import Guards
import Synchronization

/// Counts the leases of one session, and ends them for good.
///
/// A lease takes a slot and then looks whether the gate is closed; closing sets the flag and then looks at the slots. Each side writes before it
/// reads, in one total order, so either the lease sees the flag or the closer sees the lease (Dekker's argument; E. W. Dijkstra, 1965).
/// A slot holds who took it, so that a logout from inside a lease can be told from one that merely has to wait.
@usableFromInline final class LeaseGate: Sendable {
  private let closed = Atomic<Bool>(false)
  private let slots: InlineArray<8, Atomic<UInt>> = InlineArray { _ in Atomic<UInt>(LeaseGate.free) }
  private let slow = Locked(Slow())
  let clock: any SessionClock

  /// What the rare paths share.
  private struct Slow {
    /// Holders that found no free slot.
    var overflow: [UInt] = []
    var reason: EndReason?
    /// What the session is now; nil while that is what its first key says.
    var newest: SessionRecord?
    var whenDrained: Promise<Void>?
  }

  /// Where a lease is noted; it is handed back on leaving.
  ///
  /// A plain number, because it is passed twice in every lease: the index of a slot, or one of the two below.
  @usableFromInline typealias Place = Int
  /// Noted with those that found no free slot: a nameless one, and one that a task holds.
  private static let overflow = 8
  private static let overflowOfTask = 9
  /// Not noted: the gate is closed.
  @usableFromInline static var refused: Place { -1 }

  private static let free: UInt = 0
  /// Stands for the holder of a synchronous lease.
  ///
  /// No task lies at this address.
  ///
  /// Code under such a lease cannot await a logout, so nobody has to find out whose it is; asking for the task costs as much as all the rest.
  private static let nameless: UInt = 1

  init(clock: any SessionClock) {
    self.clock = clock
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Why the gate was closed, or nil while it is open.
  @usableFromInline var reason: EndReason? { slow.withLock { $0.reason } }

  /// The session as it is now, where it has changed since its first key.
  var newest: SessionRecord? { slow.withLock { $0.newest } }

  /// Notes that the session goes on under another record.
  func goOn(as record: SessionRecord) {
    slow.withLock { $0.newest = record }
  }

  /// Enters for synchronous work, unless the gate is closed; then it answers `refused`, which is not to be handed back.
  @usableFromInline func enter() -> Place {
    // Any slot will do; threads have stacks of their own, so that they seldom meet at one (Fibonacci hashing of the page; D. E. Knuth).
    let page = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { UInt(bitPattern: $0.baseAddress) >> 12 }
    let spread = (UInt64(truncatingIfNeeded: page) &* 0x9E37_79B9_7F4A_7C15) >> 61
    return enter(Self.nameless, Int(truncatingIfNeeded: spread), Self.overflow)
  }

  /// The same for asynchronous work, noting the task.
  @usableFromInline func enterInTask() -> Place {
    let holder = Self.currentHolder()
    return enter(holder, Int(truncatingIfNeeded: holder >> 6), Self.overflowOfTask)
  }

  @inline(__always)
  private func enter(_ holder: UInt, _ spread: Int, _ overflow: Place) -> Place {
    let first = spread & 7
    let (isTaken, _) = slots[first].compareExchange(
      expected: Self.free, desired: holder, ordering: .sequentiallyConsistent)
    let place = isTaken ? first : enterElsewhere(holder, first, overflow)
    guard closed.load(ordering: .sequentiallyConsistent) else { return place }
    leave(place)
    return Self.refused
  }

  @inline(never)
  private func enterElsewhere(_ holder: UInt, _ first: Int, _ overflow: Place) -> Place {
    for offset in 1..<8 {
      let index = (first + offset) & 7
      let (isTaken, _) = slots[index].compareExchange(
        expected: Self.free, desired: holder, ordering: .sequentiallyConsistent)
      if isTaken { return index }
    }
    slow.withLock { $0.overflow.append(holder) }
    return overflow
  }

  /// Leaves; an asynchronous lease in the task that entered.
  ///
  /// The last one to leave a closed gate tells whoever waits for that.
  @usableFromInline func leave(_ place: Place) {
    if place < Self.overflow {
      slots[place].store(Self.free, ordering: .sequentiallyConsistent)
    } else {
      leaveOverflow(place)
    }
    if closed.load(ordering: .sequentiallyConsistent) { tellIfDrained() }
  }

  @inline(never)
  private func leaveOverflow(_ place: Place) {
    let holder = place == Self.overflow ? Self.nameless : Self.currentHolder()
    slow.withLock { state in
      if let index = state.overflow.firstIndex(of: holder) { state.overflow.remove(at: index) }
    }
  }

  /// Closes the gate: no lease starts from now on.
  ///
  /// Closing again keeps the first reason.
  func close(_ reason: EndReason) {
    slow.withLock { state in
      if state.reason == nil { state.reason = reason }
    }
    closed.store(true, ordering: .sequentiallyConsistent)
  }

  /// Kept when the last lease of the closed gate has ended; at once if none is running.
  func drained() -> Promise<Void> {
    let promise = slow.withLock { state in
      let promise = state.whenDrained ?? Promise()
      state.whenDrained = promise
      return promise
    }
    tellIfDrained()
    return promise
  }

  private func tellIfDrained() {
    guard running == 0 else { return }
    slow.withLock { $0.whenDrained }?.fulfil(())
  }

  /// How many leases are running.
  var running: Int {
    var count = slow.withLock { $0.overflow.count }
    for index in 0..<8 where slots[index].load(ordering: .sequentiallyConsistent) != Self.free { count += 1 }
    return count
  }

  /// Whether the task that asks is inside a lease.
  ///
  /// A task started by the lease's holder is another task.
  var isHeldByCurrentTask: Bool {
    let holder = Self.currentHolder()
    guard holder != Self.nameless else { return false }
    for index in 0..<8 where slots[index].load(ordering: .sequentiallyConsistent) == holder { return true }
    return slow.withLock { $0.overflow.contains(holder) }
  }

  private static func currentHolder() -> UInt {
    withUnsafeCurrentTask { task in
      guard let task else { return nameless }
      // The handle is one pointer to the task, compared and never followed; its `hashValue` would cost twice a whole lease.
      return unsafeBitCast(task, to: UInt.self)
    }
  }
}
