import Guards
import Synchronization

/// Counts the leases of one session, and closes for good when the session ends.
///
/// A lease takes a slot and then checks whether the gate is closed. Closing sets the flag and then
/// checks the slots. Each side writes before it reads, in one total order, so either the lease sees
/// the flag or the closer sees the lease (Dekker's argument; E. W. Dijkstra, 1965). A slot holds
/// the identity of its task, so that a logout from inside a lease differs from one that only has to
/// wait.
@usableFromInline final class LeaseGate: Sendable {
  private let closed = Atomic<Bool>(false)
  private let slots = Row<Atomic<UInt>>(count: 8) { Atomic<UInt>(LeaseGate.free) }
  private let slow = Locked(Slow())
  let clock: any SessionClock

  /// State of the rare paths.
  private struct Slow {
    /// Holders that found no free slot.
    var overflow: [UInt] = []
    var reason: EndReason?
    /// The present record of the session; nil while it is still the first one.
    var newest: SessionRecord?
    var whenDrained: Promise<Void>?
  }

  /// Where a lease is counted; the lease returns it when it leaves.
  ///
  /// A plain number, because each lease passes it twice: the index of a slot, or one of the two
  /// constants below.
  @usableFromInline typealias Place = Int
  /// Counted among those that found no free slot: one without a task, and one with a task.
  private static let overflow = 8
  private static let overflowOfTask = 9
  /// Not counted: the gate is closed.
  @usableFromInline static var refused: Place { -1 }

  private static let free: UInt = 0
  /// The holder of a synchronous lease.
  ///
  /// No task has this address.
  ///
  /// Code under such a lease cannot await a logout, so its task does not matter; finding the task
  /// costs as much as all the rest.
  private static let nameless: UInt = 1

  init(clock: any SessionClock) {
    self.clock = clock
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Why the gate is closed, or nil while it is open.
  @usableFromInline var reason: EndReason? { slow.withLock { $0.reason } }

  /// The present record of the session, if it has changed since its first key.
  var newest: SessionRecord? { slow.withLock { $0.newest } }

  /// Notes that the session goes on with another record.
  func goOn(as record: SessionRecord) {
    slow.withLock { $0.newest = record }
  }

  /// Enters for synchronous work; when the gate is closed, returns `refused`, which needs no
  /// `leave`.
  @usableFromInline func enter() -> Place {
    // Any slot will do. Each thread has its own stack, so the address of the stack page spreads
    // threads over the slots (Fibonacci hashing of the page; D. E. Knuth).
    let page = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { UInt(bitPattern: $0.baseAddress) >> 12 }
    let spread = (UInt64(truncatingIfNeeded: page) &* 0x9E37_79B9_7F4A_7C15) >> 61
    return enter(Self.nameless, Int(truncatingIfNeeded: spread), Self.overflow)
  }

  /// Enters for asynchronous work, and notes the task.
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

  /// Leaves the gate; an asynchronous lease leaves in the task that entered.
  ///
  /// The last lease to leave a closed gate fulfils the promise of ``drained()``.
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

  /// A promise that is fulfilled when the last lease of the closed gate has ended, at once if none
  /// runs.
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

  /// Whether the calling task is inside a lease.
  ///
  /// A task that the lease's holder starts is another task.
  var isHeldByCurrentTask: Bool {
    let holder = Self.currentHolder()
    guard holder != Self.nameless else { return false }
    for index in 0..<8 where slots[index].load(ordering: .sequentiallyConsistent) == holder { return true }
    return slow.withLock { $0.overflow.contains(holder) }
  }

  private static func currentHolder() -> UInt {
    withUnsafeCurrentTask { task in
      guard let task else { return nameless }
      // The handle is one pointer to the task. It is compared and never followed; its `hashValue`
      // would cost twice as much as a whole lease.
      return unsafeBitCast(task, to: UInt.self)
    }
  }
}

/// Each gate is a session of its own.
extension LeaseGate: Hashable {
  @usableFromInline static func == (first: LeaseGate, second: LeaseGate) -> Bool { first === second }

  @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
