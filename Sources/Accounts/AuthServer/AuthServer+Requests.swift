import AuthAccounts
import AuthCore
import AuthRules
import AuthService
import ConcurrencyKit

/// Requests: which threads perform them, and how they are answered and logged.
extension AuthServer {
  func submit(_ job: Job) {
    let pool =
      switch job.kind {
      case .request(let request) where request.operation.work == .hashes: passwords
      case .request(let request) where request.isSearch: searches
      case .request, .subscribe, .tell: requests
      }
    guard let left = pool.submit(job) else { return }
    let isStopping = table.withLock { $0.isClosed }
    if !isStopping {
      logRefusal("queue_full", left.connection.peer)
      left.connection.putOff()
    }
    refuse(left, isStopping ? .stopping : .busy(after: pool.load.wait))
  }

  func perform(_ job: Job) {
    switch job.kind {
    case .tell(let token): feed.tell(job.connection, token)
    case .subscribe(let token):
      respond(to: job) { () throws(BackendError) in
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
      respond(to: job) { () throws(BackendError) in
        guard let body = request.operation.responseBody(try result.get()) else { throw .unavailable(.answerUnknown) }
        return body
      }
      if let error, error.isRefusal { log(error, of: request, job.connection) }
      if work != .reads { feed.wake() }
    }
  }

  private func respond(to job: Job, _ body: () throws(BackendError) -> WireBody) {
    let now = try? rules.database.clock.now()
    do throws(BackendError) {
      job.connection.respond(.response(job.id, now: now, try body()))
    } catch {
      job.connection.respond(.failure(job.id, now: now, error.told))
    }
  }

  /// Answers a job that is not performed.
  func refuse(_ job: Job, _ error: BackendError) {
    if case .tell = job.kind { return feed.tellLater(job.connection) }
    respond(to: job) { () throws(BackendError) in throw error }
  }

  /// Counts and logs a refusal or a fault.
  func logRefusal(
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
      return logRefusal(
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
    logRefusal(error.code, connection.peer, operation: request.operation.name, account: account)
  }

  /// The account of the session whose token a request has; nil without one.
  private func owner(of request: Request) -> String? {
    guard request.operation.needs != nil, let token = request.token else { return nil }
    return (try? rules.perform(Operations.lookUp, on: token))??.user.username
  }
}
