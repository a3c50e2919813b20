import Guards

/// Counts the leases of one session, and closes for good when the session ends.
@usableFromInline final class LeaseGate: Sendable {
  private struct Storage {
    /// Leases that are running.
    var running = 0
    /// The tasks that hold asynchronous leases, once for each.
    ///
    /// A logout from inside one of them would wait for itself. Code under a synchronous lease cannot
    /// await a logout.
    var tasks: [Int] = []
    /// Why the gate is closed; nil while it is open.
    var reason: EndReason?
    /// The present record of the session; nil while it is still the first one.
    var newest: SessionRecord?
    /// Fulfilled when the gate is closed and no lease is running.
    let drained = Promise<Void>()

    /// What to fulfil, with no lock held, when no lease is left.
    var endOfLeases: Promise<Void>? { reason != nil && running == 0 ? drained : nil }
  }

  let clock: any SessionClock
  private let storage = Locked(Storage())

  init(clock: any SessionClock) {
    self.clock = clock
  }

  var isClosed: Bool { reason != nil }

  /// Why the gate is closed, or nil while it is open.
  @usableFromInline var reason: EndReason? { storage.withLock { $0.reason } }

  /// The present record of the session, if it has changed since its first key.
  var newest: SessionRecord? { storage.withLock { $0.newest } }

  /// How many leases are running.
  var running: Int { storage.withLock { $0.running } }

  /// Notes that the session goes on with another record.
  func goOn(as record: SessionRecord) {
    storage.withLock { $0.newest = record }
  }

  /// Begins a synchronous lease.
  ///
  /// - Returns: Why not, when the gate is closed; then there is nothing to leave.
  @usableFromInline func enter() -> EndReason? {
    storage.withLock { storage in
      if storage.reason == nil { storage.running += 1 }
      return storage.reason
    }
  }

  /// Begins an asynchronous lease, and notes the task.
  @usableFromInline func enterInTask() -> EndReason? {
    let task = Self.currentTask
    return storage.withLock { storage in
      guard storage.reason == nil else { return storage.reason }
      storage.running += 1
      if let task { storage.tasks.append(task) }
      return nil
    }
  }

  /// Ends a synchronous lease.
  @usableFromInline func leave() {
    storage.withLock { storage in
      storage.running -= 1
      return storage.endOfLeases
    }?.fulfil(())
  }

  /// Ends an asynchronous lease, in the task that began it.
  @usableFromInline func leaveInTask() {
    let task = Self.currentTask
    storage.withLock { storage in
      if let index = storage.tasks.firstIndex(where: { $0 == task }) { storage.tasks.remove(at: index) }
      storage.running -= 1
      return storage.endOfLeases
    }?.fulfil(())
  }

  /// Closes the gate: no lease starts from now on.
  ///
  /// Closing again keeps the first reason.
  func close(_ reason: EndReason) {
    storage.withLock { storage in
      if storage.reason == nil { storage.reason = reason }
      return storage.endOfLeases
    }?.fulfil(())
  }

  /// A promise that is fulfilled when the gate is closed and its last lease has ended.
  var drained: Promise<Void> { storage.withLock { $0.drained } }

  /// Whether the calling task is inside an asynchronous lease.
  ///
  /// A task that the lease's holder starts is another task.
  var isHeldByCurrentTask: Bool {
    guard let task = Self.currentTask else { return false }
    return storage.withLock { $0.tasks.contains(task) }
  }

  /// The identity of the calling task.
  private static var currentTask: Int? {
    withUnsafeCurrentTask { $0?.hashValue }
  }
}

/// Each gate is a session of its own.
extension LeaseGate: Hashable {
  @usableFromInline static func == (first: LeaseGate, second: LeaseGate) -> Bool { first === second }

  @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
