package import AuthBackend
import AuthCore
import CSocket
import Glibc
import Guards

/// The service: clients connect to it over a socket, and only it uses the database.
///
/// Workers watch all sockets and never block; users take turns there too. Requests go to threads
/// that wait for the database, searches to threads of their own, and requests with a password to
/// threads that hash. A request enters the queue before its password counts as an attempt. The
/// service does not start a request whose client has hung up, and finishes one whose client hangs
/// up later.
package final class AuthServer: Sendable {
  private struct Table {
    /// The open connections by number, each with the caller whose limits count it.
    var connections: [UInt64: (connection: Connection, holder: Caller)] = [:]
    var places: CallerShares
    var counts = ServiceCounts()
    /// The listener is not watched, because there was no descriptor for a connection.
    var isDeaf = false
    /// No connection is accepted any more.
    var isClosed = false
    var isOver: Bool { isClosed && connections.isEmpty }

    mutating func remove(_ number: UInt64) -> Connection? {
      guard let (connection, holder) = connections.removeValue(forKey: number) else { return nil }
      places.leave(holder)
      return connection
    }

    /// Takes a place for a caller, if necessary from the caller with the most.
    ///
    /// - Returns: Whether it has one, and the newest connection of the other, which has none now.
    mutating func seat(_ caller: Caller) -> (isSeated: Bool, removed: Connection?) {
      if places.take(caller) { return (true, nil) }
      guard let giver = places.giver(for: caller),
        let newest = connections.filter({ $0.value.holder == giver }).keys.max()
      else { return (false, nil) }
      let removed = remove(newest)
      return (places.take(caller), removed)
    }
  }

  private let rules: Rules
  let limits: ServiceLimits
  private let log: ServiceLog
  private let identity: String
  private let startedAt = WallTime.now()
  private let listener: Int32
  let epoll: Int32
  private let table: Monitor<Table>
  /// The connections that are ready to be read or written, until a worker has time.
  private let ready: Locked<FairQueue<(connection: Connection, isHungUp: Bool)>>
  private let feed: ChangeFeed
  private let housekeeping: Housekeeping
  private let requests: JobPool
  private let searches: JobPool
  private let passwords: JobPool
  private let guesses: NameGuesses
  private let connects: Rates<uid_t>

  /// A tag that no connection has.
  private static let listenerTag: UInt64 = 0
  /// How many connections are accepted before other sockets have their turn.
  private static let acceptsOfTurn = 16
  private static let refusal = ServerFrame.failure(Frames.unnumbered, now: nil, .tooManyConnections).encoded()

  /// Creates the service, which accepts no connections yet.
  ///
  /// - Parameters:
  ///   - rules: The rules of a database that only services use.
  ///   - identity: See ``ServedDatabase/identity``.
  ///   - listener: A socket that listens.
  ///   - limits: How much of the service each caller may use.
  ///   - looksEvery: How often to look for changes that others made in the database.
  ///   - log: The log for refusals and faults.
  package init(
    _ rules: Rules, identity: String, listener: Int32, limits: ServiceLimits, looksEvery: Duration, log: ServiceLog
  ) {
    self.rules = rules
    self.limits = limits
    self.log = log
    self.listener = listener
    self.identity = identity
    table = Monitor(Table(places: CallerShares(limits.connections)))
    ready = Locked(FairQueue(.unlimited, runningOfUser: .max))
    feed = ChangeFeed(rules, every: looksEvery)
    housekeeping = Housekeeping(rules)
    requests = JobPool(
      threads: limits.databaseThreads, ofUser: limits.databaseThreadsOfUser, together: limits.databaseThreadsOfUser,
      limits.requests)
    searches = JobPool(threads: ServiceLimits.searchThreads, ofUser: 1, limits.requests)
    passwords = JobPool(threads: limits.hashThreads, ofUser: max(1, limits.hashThreads - 1), limits.passwords)
    guesses = NameGuesses(limits)
    connects = Rates(burst: limits.connections.ofUser, perSecond: limits.connectsOfUser)
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
      && feed.start({ self.submit(Job(connection: $0, id: Frames.unnumbered, question: .tell($1))) })
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

  // MARK: Sockets

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

  /// Accepts a few connections.
  ///
  /// One thread at a time does: the event of the listener comes once, until this function or the
  /// sweep watches it again.
  private func accept() {
    for _ in 0..<Self.acceptsOfTurn {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        admit(descriptor)
      } else if errno == EAGAIN || errno == EINTR || errno == ECONNABORTED {
        break
      } else {
        return table.withLock { $0.isDeaf = true }
      }
    }
    _ = csocket_rearm(epoll, listener, 1, 0, Self.listenerTag)
  }

  private func admit(_ descriptor: Int32) {
    guard let peer = Peer(of: descriptor) else {
      close(descriptor)
      return
    }
    let holder = peer.caller
    let isSlowEnough = connects.counted(holder.user) != nil
    let (connection, removed): (Connection?, Connection?) = table.withLock { table in
      guard !table.isClosed, isSlowEnough else { return (nil, nil) }
      let (isSeated, removed) = table.seat(holder)
      guard isSeated else { return (nil, removed) }
      table.counts.accepted += 1
      let connection = Connection(descriptor, peer, number: table.counts.accepted, of: self)
      table.connections[connection.number] = (connection, holder)
      return (connection, removed)
    }
    evict(removed)
    if let connection {
      let hello = ServiceHello(database: identity, now: try? rules.database.clock.now(), policy: rules.policy)
      connection.open(.hello(hello))
    } else {
      _ = send(descriptor, Self.refusal, Self.refusal.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      close(descriptor)
      refused(Connection.Ending.tooMany.rawValue, peer)
    }
  }

  /// Ends a connection that gave up its place.
  private func evict(_ connection: Connection?) {
    guard let connection else { return }
    connection.refuse(.tooMany, .tooManyConnections)
    // The client may never read the message, so the connection does not wait for that.
    drop(connection, .tooMany)
    refused(Connection.Ending.tooMany.rawValue, connection.peer)
  }

  /// Acts on what a connection found when it read its socket.
  func act(_ connection: Connection, _ outcome: Connection.Outcome) {
    if outcome.isNamed, !takePlace(connection, as: connection.peer.caller) {
      return connection.refuse(.tooMany, .tooManyConnections)
    }
    for (id, question) in outcome.questions { submit(Job(connection: connection, id: id, question: question)) }
    if let ending = outcome.ending { drop(connection, ending) }
  }

  /// Counts a connection for the name of its caller too.
  ///
  /// - Returns: False when the name has no place for it.
  private func takePlace(_ connection: Connection, as named: Caller) -> Bool {
    let (isSeated, removed): (Bool, Connection?) = table.withLock { table in
      guard let holder = table.connections[connection.number]?.holder else { return (true, nil) }
      table.places.leave(holder)
      table.connections[connection.number]?.holder = named
      let seat = table.seat(named)
      if !seat.isSeated {
        table.connections[connection.number]?.holder = holder
        _ = table.places.take(holder)
      }
      return seat
    }
    evict(removed)
    return isSeated
  }

  private func drop(_ connection: Connection, _ ending: Connection.Ending) {
    let wasThere = table.change(if: \.isOver) { $0.remove(connection.number) != nil }
    if wasThere, ending != .hungUp, ending != .stopping { refused(ending.rawValue, connection.peer) }
    // Another connection may get the number of the descriptor as soon as it is closed.
    connection.close()
    feed.remove(connection.number)
  }

  /// Closes overdue connections, reads from those again that were put off, and watches the listener
  /// again after descriptors ran out.
  private func sweep() {
    let now = ContinuousClock.now
    let (open, isDeaf): ([Connection], Bool) = table.withLock { table in
      defer { table.isDeaf = false }
      return (table.connections.values.map(\.connection), table.isDeaf && !table.isClosed)
    }
    for connection in open {
      if let ending = connection.overdue(at: now) { drop(connection, ending) } else { connection.resume() }
    }
    if isDeaf { _ = csocket_rearm(epoll, listener, 1, 0, Self.listenerTag) }
  }

  // MARK: Requests

  private func submit(_ job: Job) {
    let pool =
      switch job.question {
      case .request(let request) where request.operation.work == .hashes: passwords
      case .request(let request) where request.isSearch: searches
      case .request, .subscribe, .tell: requests
      }
    guard let left = pool.submit(job) else { return }
    let isStopping = table.withLock { $0.isClosed }
    if !isStopping {
      refused("queue_full", left.connection.peer)
      left.connection.putOff()
    }
    refuse(left, isStopping ? .stopping : .busy(after: pool.load.wait))
  }

  private func perform(_ job: Job) {
    switch job.question {
    case .tell(let token): feed.tell(job.connection, token)
    case .subscribe(let token):
      answer(job) { () throws(BackendError) in
        try feed.add(job.connection, token)
        return .done
      }
    case .request(let request):
      let work = request.operation.work
      // The client soon stops waiting, and must not be left with a change that it does not know of.
      guard ContinuousClock.now - job.since < (work == .hashes ? limits.hashTime : limits.answerTime) else {
        return refuse(job, .busy(after: .seconds(1)))
      }
      let caller = job.connection.peer.caller
      let result = Result { () throws(BackendError) in
        try guesses.limited(request, of: caller) { () throws(BackendError) in try request.serve(rules) }
      }
      let time = ContinuousClock.now - job.since
      let error: BackendError? = if case .failure(let error) = result { error } else { nil }
      table.withLock { $0.counts.count(error, work, of: caller.user, took: time) }
      job.connection.note(result)
      answer(job) { () throws(BackendError) in
        guard let body = request.operation.answer(try result.get()) else { throw .unavailable(.answerUnknown) }
        return body
      }
      if let error, error.isRefusal { log(error, of: request, job.connection) }
      if work != .reads { feed.wake() }
    }
  }

  private func answer(_ job: Job, _ body: () throws(BackendError) -> WireBody) {
    let now = try? rules.database.clock.now()
    do throws(BackendError) {
      job.connection.answer(.answer(job.id, now: now, try body()))
    } catch {
      job.connection.answer(.failure(job.id, now: now, error.told))
    }
  }

  /// Answers a job that is not performed.
  private func refuse(_ job: Job, _ error: BackendError) {
    if case .tell = job.question { return feed.tellLater(job.connection) }
    answer(job) { () throws(BackendError) in throw error }
  }

  private func refused(
    _ reason: String, _ peer: Peer, operation: String? = nil, account: String? = nil,
    level: ServiceLog.Level = .notice, cause: String? = nil
  ) {
    let (user, name) = (peer.caller.user, peer.caller.name)
    table.withLock { $0.counts.refuse(reason) }
    log.write(
      level, level == .notice ? "refused" : "failed", of: level == .err ? nil : user,
      [
        "reason": reason, "operation": operation, "cause": cause, "uid": "\(user)", "claimed_name": name,
        "pid": "\(peer.process)",
        "account": account,
      ])
  }

  /// Logs an error with the operation, and with the account that the events name: the one of the
  /// connection's session, or the one that a login is for, if it exists.
  private func log(_ error: BackendError, of request: Request, _ connection: Connection) {
    if case .unavailable(let failure) = error.kind {
      let level: ServiceLog.Level = failure.isFault ? .err : failure.isLimit ? .notice : .warning
      let cause = failure.values.isEmpty ? failure.description : failure.values.joined(separator: ", ")
      return refused(
        error.code, connection.peer, operation: request.operation.name, account: connection.account, level: level,
        cause: cause)
    }
    let name = request.input(of: Operations.logIn)?.0.username ?? request.input(of: Operations.recover)?.0
    let typed = name.flatMap { try? Username($0) }?.canonical
    let existing = typed.flatMap { typed in
      try? rules.database.read { (db) throws(BackendError) -> String? in
        try db.first(FeedQuery.account, typed).map { (_: Int64) in typed }
      }
    }
    let account = typed == nil ? connection.account ?? owner(of: request) : existing ?? nil
    refused(error.code, connection.peer, operation: request.operation.name, account: account)
  }

  /// The account of the session whose token a request has; nil without one.
  private func owner(of request: Request) -> String? {
    guard request.operation.needs != nil, let token = request.token else { return nil }
    return (try? Operations.lookUp.run(rules, token))??.user.username
  }
}
