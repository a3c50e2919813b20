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
    var whenDrained: Promise<Void>?
  }

  /// Where a lease is noted; it is handed back on leaving.
  @usableFromInline enum Place {
    case slot(Int)
    case overflow(UInt)
  }

  private static let free: UInt = 0
  /// Stands for a thread that runs no task.
  ///
  /// No task lies at this address.
  private static let thread: UInt = 1

  init(clock: any SessionClock) {
    self.clock = clock
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Why the gate was closed, or nil while it is open.
  var reason: EndReason? { slow.withLock { $0.reason } }

  /// Enters, or says why not.
  func enter() throws(LeaseEnded) -> Place {
    let holder = Self.currentHolder()
    let place = take(holder)
    if closed.load(ordering: .sequentiallyConsistent) {
      leave(place)
      throw LeaseEnded(reason: reason ?? .revoked)
    }
    return place
  }

  private func take(_ holder: UInt) -> Place {
    let start = Int(truncatingIfNeeded: holder >> 6) & 7
    for offset in 0..<8 {
      let index = (start + offset) & 7
      let (taken, _) = slots[index].compareExchange(
        expected: Self.free, desired: holder, ordering: .sequentiallyConsistent)
      if taken { return .slot(index) }
    }
    slow.withLock { $0.overflow.append(holder) }
    return .overflow(holder)
  }

  /// Leaves.
  ///
  /// The last one to leave a closed gate tells whoever waits for that.
  @usableFromInline func leave(_ place: Place) {
    switch place {
    case .slot(let index):
      slots[index].store(Self.free, ordering: .sequentiallyConsistent)
    case .overflow(let holder):
      slow.withLock { state in
        if let index = state.overflow.firstIndex(of: holder) { state.overflow.remove(at: index) }
      }
    }
    if closed.load(ordering: .sequentiallyConsistent) { tellIfDrained() }
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
    guard holder != Self.thread else { return false }
    for index in 0..<8 where slots[index].load(ordering: .sequentiallyConsistent) == holder { return true }
    return slow.withLock { $0.overflow.contains(holder) }
  }

  private static func currentHolder() -> UInt {
    withUnsafeCurrentTask { task in
      guard let task else { return thread }
      // The handle is one pointer to the task, compared and never followed; its `hashValue` would cost twice a whole lease.
      return unsafeBitCast(task, to: UInt.self)
    }
  }
}

/// A lease was asked of a session that is over.
struct LeaseEnded: Error {
  let reason: EndReason
}
