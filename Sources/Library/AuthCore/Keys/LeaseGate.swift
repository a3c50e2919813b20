import ConcurrencyKit

/// Counts the leases of one session, and closes permanently when the session ends.
@usableFromInline final class LeaseGate: Sendable {
  private struct Storage {
    /// The number of running leases.
    var running = 0
    /// The tasks that hold asynchronous leases, one entry for each lease.
    ///
    /// A logout from inside one of them would wait for itself. Synchronous leases are not listed,
    /// because code under one cannot await a logout.
    var tasks: [Int] = []
    /// Why the gate is closed; nil while it is open.
    var reason: EndReason?
    /// The current record of the session.
    var record: SessionRecord
    /// The newest access token, and since when the session has it.
    var access: (token: AccessToken, since: BootInstant)?
    /// The core of the session's store; weak, because the core holds the gate.
    weak var core: SessionCore?
    /// Fulfilled when the gate is closed and no lease is running.
    let drained = Promise<Void>()

    /// The promise to fulfil, with no lock held, if the gate is closed and no lease is left.
    var endOfLeases: Promise<Void>? { reason != nil && running == 0 ? drained : nil }
  }

  let clock: any SessionClock
  private let storage: Locked<Storage>

  init(_ record: SessionRecord, clock: any SessionClock, core: SessionCore? = nil) {
    self.clock = clock
    storage = Locked(Storage(record: record, core: core))
  }

  /// The core of the session's store, while that exists.
  var core: SessionCore? { storage.withLock { $0.core } }

  var isClosed: Bool { reason != nil }

  /// Why the gate is closed, or nil while it is open.
  @usableFromInline var reason: EndReason? { storage.withLock { $0.reason } }

  /// The current record of the session.
  var record: SessionRecord { storage.withLock { $0.record } }

  /// The number of running leases.
  var running: Int { storage.withLock { $0.running } }

  /// Stores the record with which the session continues.
  func goOn(as record: SessionRecord) {
    storage.withLock { $0.record = record }
  }

  /// Returns since when the session has an access token, which is now if it was not the last one.
  @discardableResult
  func since(_ token: AccessToken, at now: BootInstant) -> BootInstant {
    storage.withLock { storage in
      if let access = storage.access, access.token == token { return access.since }
      storage.access = (token, now)
      return now
    }
  }

  /// Begins a lease, and records its task if it is an asynchronous one.
  ///
  /// - Returns: Nil if the lease began; otherwise why the gate is closed, and do not call
  ///   ``leave(inTask:)``.
  @usableFromInline func enter(inTask: Bool = false) -> EndReason? {
    let task = inTask ? Self.currentTask : nil
    return storage.withLock { storage in
      guard storage.reason == nil else { return storage.reason }
      storage.running += 1
      if let task { storage.tasks.append(task) }
      return nil
    }
  }

  /// Ends a lease, in the task that began it if it is an asynchronous one.
  @usableFromInline func leave(inTask: Bool = false) {
    let task = inTask ? Self.currentTask : nil
    storage.withLock { storage in
      if let task, let index = storage.tasks.firstIndex(of: task) { storage.tasks.remove(at: index) }
      storage.running -= 1
      return storage.endOfLeases
    }?.fulfil(())
  }

  /// Closes the gate: from now on no lease starts.
  ///
  /// A second call keeps the first reason.
  ///
  /// - Returns: The promise to fulfil without a lock, if no lease is running: the caller holds the
  ///   lock of the store.
  func close(_ reason: EndReason) -> Promise<Void>? {
    storage.withLock { storage in
      if storage.reason == nil { storage.reason = reason }
      return storage.endOfLeases
    }
  }

  /// A promise that is fulfilled when the gate is closed and its last lease has ended.
  var drained: Promise<Void> { storage.withLock { $0.drained } }

  /// Whether the calling task is inside an asynchronous lease.
  ///
  /// A task that is started inside the lease does not count.
  var isHeldByCurrentTask: Bool {
    guard let task = Self.currentTask else { return false }
    return storage.withLock { $0.tasks.contains(task) }
  }

  /// The identity of the calling task.
  private static var currentTask: Int? {
    withUnsafeCurrentTask { $0?.hashValue }
  }
}

/// Gates are equal only if they are identical: each one belongs to one session.
extension LeaseGate: Hashable {
  @usableFromInline static func == (first: LeaseGate, second: LeaseGate) -> Bool { first === second }

  @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
