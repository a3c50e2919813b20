import AuthBackend
import Glibc
import Guards

/// At most so many connections to a server, each lent to one transaction at a time.
final class ConnectionPool: Sendable {
  private let idle = Locked<[PreparedStatements]>([])
  private let free: Semaphore
  private let make: @Sendable () throws(ServerFault) -> PreparedStatements

  /// Creates a pool; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - size: How many connections at most.
  ///   - make: Makes one.
  init(size: Int, _ make: @escaping @Sendable () throws(ServerFault) -> PreparedStatements) {
    free = Semaphore(size)
    self.make = make
  }

  /// Runs `body` with a connection, which goes back to the pool if `body` says that it is usable.
  ///
  /// - Returns: Nil when none became free in time.
  func lend<Result>(
    until deadline: ContinuousClock.Instant,
    _ body: (PreparedStatements) throws(ServerFault) -> (Result, isUsable: Bool)
  ) throws(ServerFault) -> Result? {
    guard free.wait(until: deadline) else { return nil }
    defer { free.signal() }
    let connection: PreparedStatements
    if let kept = kept() { connection = kept } else { connection = try make() }
    let (result, isUsable) = try body(connection)
    if isUsable { idle.withLock { $0.append(connection) } }
    return result
  }

  /// The connection that was used last; those that the server closed meanwhile are dropped.
  private func kept() -> PreparedStatements? {
    while let connection = idle.withLock({ $0.popLast() }) {
      if !connection.connection.isGone() { return connection }
    }
    return nil
  }
}

/// A counting semaphore, which blocks its thread.
private final class Semaphore: Sendable {
  // Set once, and used by the functions of the C library alone, under the mutex.
  nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  nonisolated(unsafe) private let isFree = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  nonisolated(unsafe) private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  init(_ count: Int) {
    self.count.initialize(to: count)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The wall clock may be set while somebody waits.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(isFree, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(isFree)
    pthread_mutex_destroy(mutex)
    isFree.deallocate()
    mutex.deallocate()
    count.deallocate()
  }

  func signal() {
    pthread_mutex_lock(mutex)
    count.pointee += 1
    pthread_cond_signal(isFree)
    pthread_mutex_unlock(mutex)
  }

  /// - Returns: False when the deadline passed.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = max(.zero, deadline - .now).components
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    end.tv_sec += Int(left.seconds)
    end.tv_nsec += Int(left.attoseconds / 1_000_000_000)
    if end.tv_nsec >= 1_000_000_000 { (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000) }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while count.pointee == 0 {
      if pthread_cond_timedwait(isFree, mutex, &end) == ETIMEDOUT { return false }
    }
    count.pointee -= 1
    return true
  }
}
