import AuthAccounts
import AuthCore
package import AuthRules
import CSocket
import ConcurrencyKit
import Glibc

/// The service: clients connect to it over a socket, and only it uses the database.
///
/// Workers watch all sockets and never block; users take turns there too. Requests go to threads
/// that wait for the database, searches to threads of their own, and requests with a password to
/// threads that hash. A request enters the queue before its password counts as an attempt. The
/// service does not start a request whose client has hung up, and finishes one whose client hangs
/// up later.
package final class AuthServer: Sendable {
  let rules: Rules
  let limits: ServiceLimits
  let log: ServiceLog
  let identity: String
  private let startedAt = WallTime.now()
  let listener: Int32
  let epoll: Int32
  let table: Monitor<ConnectionTable>
  /// The connections that are ready to be read or written, until a worker has time.
  private let ready: Locked<FairQueue<(connection: Connection, isHungUp: Bool)>>
  let feed: ChangeFeed
  private let housekeeping: Housekeeping
  let requests: JobPool
  let searches: JobPool
  let passwords: JobPool
  let guesses: NameGuesses
  let connects: CallerRates

  /// A tag that no connection has.
  static let listenerTag: UInt64 = 0

  /// Creates the service, which accepts no connections yet.
  ///
  /// - Parameters:
  ///   - rules: The rules of a database that only services use.
  ///   - identity: See ``ServedDatabase/identity``.
  ///   - listener: A socket that listens.
  ///   - limits: How much of the service each caller may use.
  ///   - pollInterval: How often to look for changes that others made in the database.
  ///   - log: The log for refusals and faults.
  package init(
    _ rules: Rules, identity: String, listener: Int32, limits: ServiceLimits, pollInterval: Duration, log: ServiceLog
  ) {
    self.rules = rules
    self.limits = limits
    self.log = log
    self.listener = listener
    self.identity = identity
    table = Monitor(ConnectionTable(places: CallerShares(limits.connections)))
    ready = Locked(FairQueue(.unlimited, runningOfUser: .max))
    feed = ChangeFeed(rules, every: pollInterval)
    housekeeping = Housekeeping(rules, log)
    requests = JobPool(
      threads: limits.databaseThreads, ofUser: limits.databaseThreadsOfUser, together: limits.databaseThreadsOfUser,
      limits.requests)
    searches = JobPool(threads: ServiceLimits.searchThreads, ofUser: 1, limits.requests)
    passwords = JobPool(threads: limits.hashThreads, ofUser: max(1, limits.hashThreads - 1), limits.passwords)
    guesses = NameGuesses(limits)
    connects = CallerRates(burst: limits.connections.ofUser, perSecond: limits.connectsOfUser)
    epoll = epoll_create1(0)
  }

  deinit { close(epoll) }

  /// Starts the threads of the service, and accepts connections from then on.
  ///
  /// - Returns: False when the system gave no thread, or the listener cannot be watched.
  package func start() -> Bool {
    let perform: @Sendable (Job) -> Void = { self.perform($0) }
    _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
    let workers = 2
    return epoll >= 0 && requests.start(perform) && searches.start(perform) && passwords.start(perform)
      && feed.start({ self.submit(Job(connection: $0, id: Frames.unnumbered, kind: .tell($1))) })
      && housekeeping.start() && (0..<workers).allSatisfy { _ in startThread { self.watch() } }
      && csocket_add(epoll, listener, 1, 0, Self.listenerTag) == 0
  }

  /// Accepts nothing new, finishes the requests that run, closes all connections, and ends the
  /// threads of the service.
  ///
  /// - Returns: Whether all requests that ran finished in time.
  package func stop() -> Bool {
    let open = table.withLock { table in
      table.isClosed = true
      return table.connections.values.map(\.connection)
    }
    close(listener)
    for job in requests.close() + searches.close() + passwords.close() { refuse(job, .stopping) }
    for connection in open { connection.stop() }
    housekeeping.stop()
    guard table.wait(atMost: limits.stopTime, { $0.isOver ? true : nil }) != nil else { return false }
    feed.stop()
    return true
  }

  /// The current state of the service, without waiting for the database.
  package var status: ServiceStatus {
    let table = table.withLock { $0 }
    return ServiceStatus(
      startedAt: startedAt, limits: limits, connections: table.connections.count, subscribers: feed.count,
      requests: requests.load, searches: searches.load, passwords: passwords.load, counts: table.counts)
  }

  /// Reports that the database was changed by something other than a request over a socket.
  package func noteChange() { feed.wake() }

  private func watch() {
    let pause: Int32 = 500
    var next = ContinuousClock.now + .milliseconds(pause)
    while !table.withLock({ $0.isOver }) {
      queueReady(atMost: ready.withLock { $0.canRun } ? 0 : pause)
      if let (user, job) = ready.withLock({ $0.next() }) {
        if job.isHungUp { drop(job.connection, .hungUp) } else { job.connection.advance() }
        ready.withLock { $0.finished(user) }
      }
      if ContinuousClock.now >= next {
        sweep()
        next = .now + .milliseconds(pause)
      }
    }
  }

  /// Queues all connections that are ready, so that a user with many of them cannot go before the
  /// others, and accepts a few new ones.
  ///
  /// - Parameter pause: How many milliseconds to wait if none is ready.
  private func queueReady(atMost pause: Int32) {
    var pause = pause
    var tag: UInt64 = 0
    var isHungUp: Int32 = 0
    while csocket_wait(epoll, pause, &tag, &isHungUp) == 1 {
      // After that a connection has its turn, however many are waiting to be accepted.
      if tag == Self.listenerTag { return accept() }
      if let (connection, holder) = table.withLock({ $0.connections[tag] }) {
        ready.withLock { _ = $0.append((connection, isHungUp != 0), of: holder) }
      }
      pause = 0
    }
  }
}
