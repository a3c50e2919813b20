import Guards

// Sends a command to the machine, and waits for its result, within a limit.
extension SessionCore {
  /// Sends a login without waiting for its result.
  func begin(_ submitted: Submitted) -> PendingLogin {
    let (reaction, promise) = send(.command(.logIn), submitting: submitted) { reaction, inner in
      reaction.isTransition ? Awaited.begin(&inner.awaited.work) : Promise()
    }
    if case .rejected(let reason) = reaction { promise.fulfil(.failure(.rejected(reason))) }
    return PendingLogin(promise: promise)
  }

  /// Sends an answer as soon as no renewal or check of the session is under way.
  func answer(_ answer: Secret, to challenge: Challenge) async throws(SessionError) -> LoginResult {
    while true {
      expireChallenge()
      let (reaction, promise) = send(.command(.answer, challenge.token), submitting: .answer(answer)) {
        reaction, inner in reaction.isTransition ? Awaited.begin(&inner.awaited.work) : inner.awaited.work
      }
      switch reaction {
      case .transition: return try await result(of: PendingLogin(promise: promise ?? Promise()))
      case .rejected(.renewalInProgress):
        // Nobody awaits the work of a store that was released.
        guard let promise else { throw .ended(.storeReleased) }
        if await promise.value() == nil { throw .cancelled }
      case .rejected(let reason): throw .rejected(reason)
      case .ignored: preconditionFailure("the machine ignores no command")
      }
    }
  }

  /// The key after a command that never leads to a second step.
  func session(
    of command: SessionCommand.OnSession, submitting submitted: Submitted? = nil, within limit: Duration?
  ) async throws(SessionError) -> LoggedInSession {
    // Beside an open challenge, the result is that challenge.
    let result = try await work(command, submitting: submitted, within: limit)
    if let session = result.session ?? withLock({ $0.key }) { return session }
    throw .ended(withLock { $0.machine.state.endReason } ?? .switchedUser)
  }

  /// Sends a command about a session as soon as no other work on the session is under way.
  ///
  /// A check applies to any active session. The other commands apply to the session of `gate`, or
  /// that is active at the call, and fail after its end. Callers that wait for the same work share
  /// one later check, because its result is new enough for all of them.
  func work(
    _ command: SessionCommand.OnSession, for gate: LeaseGate? = nil, submitting submitted: Submitted? = nil,
    because cause: RenewalCause = .activity, within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    let meant = command == .check ? nil : gate ?? withLock { $0.key?.gate }
    return try await waiting(atMost: limit) { () async throws(SessionError) in
      try await self.work(command, of: meant, submitted, cause)
    }
  }

  private func work(
    _ command: SessionCommand.OnSession, of meant: LeaseGate?, _ submitted: Submitted?, _ cause: RenewalCause
  ) async throws(SessionError) -> LoginResult {
    let isCheck = command == .check
    var hasWaited = false
    while true {
      let instant = command == .renew ? try instant() : nil
      let (reaction, now) = send(
        .command(.session(command)), submitting: submitted,
        unless: { inner in
          if let meant, inner.isOver(meant) { return .ignored(.otherSession) }
          guard let instant, let session = inner.machine.state.restingSession else { return nil }
          switch cause {
          case .keepAlive: return nil
          case .activity:
            let left = session.grant.limits.timeLeft(at: instant)
            return inner.renewals.spend(at: instant, under: timing.renewal, before: left)
          case .access(let known):
            if session.accessToken != known { return .ignored(.renewedRecently) }
            let lifetime = known.flatMap { token in inner.gate?.lifetime(of: token, at: instant) }
            return inner.accessRenewals.spend(at: instant, under: timing.renewal, before: lifetime)
          }
        }
      ) { reaction, inner in
        let promise = reaction.isTransition ? Awaited.begin(&inner.awaited.work) : inner.awaited.work
        return (promise: promise, state: inner.machine.state, key: inner.key)
      }
      switch reaction {
      case .transition: break
      case .ignored(let reason, _):
        if reason == .renewedRecently, let key = now.key { return .loggedIn(key) }
        throw .ended(meant?.reason ?? .switchedUser)
      case .rejected(let reason):
        // While a switch of users ends the previous session, a check waits for the next one.
        // A check inside a lease does not: the switch waits for the lease.
        let awaitsSwitch = isCheck && reason == .logoutInProgress && now.promise != nil && !isInsideLease
        guard reason == .renewalInProgress || awaitsSwitch else {
          if isCheck, let ended = now.state.endReason { throw .ended(ended) }
          throw .rejected(reason)
        }
        // Nobody awaits the work of a store that was released.
        if now.promise == nil { throw .ended(.storeReleased) }
      }
      if let promise = now.promise {
        let isNewEnough = reaction.isTransition || isCheck && hasWaited && now.state.isChecking
        if isNewEnough { return try await result(of: PendingLogin(promise: promise)) }
        // Other work on the session is under way: wait for its end and ignore its result.
        if await promise.value() == nil { throw .cancelled }
      }
      hasWaited = true
    }
  }
}

/// The task that gave a command, for another task that waits for it in its place.
enum Caller {
  @TaskLocal static var isInsideLease = false
}

extension SessionCore {
  /// The result of work that a command started; if the session has ended, after the observers know.
  func result(of work: PendingLogin) async throws(SessionError) -> LoginResult {
    do throws(SessionError) {
      return try await work.value()
    } catch {
      if case .ended = error { await cleanedUp() }
      throw error
    }
  }

  /// Waits for the end of a cleanup, after which observers know that the session has ended.
  ///
  /// A caller inside a lease does not wait, because the cleanup waits for the lease.
  func cleanedUp() async {
    if isInsideLease { return }
    let cleanup = withLock { inner -> Promise<LogoutResult>? in
      guard case .loggingOut(let state) = inner.machine.state, state.successor == nil else { return nil }
      return Awaited.begin(&inner.awaited.logout)
    }
    if let cleanup { _ = await cleanup.value() } else { await observersKnow() }
  }

  /// Waits until all observers were notified of the changes before the call.
  func observersKnow() async {
    _ = await afterNotifications(()).value()
  }

  /// A promise of a value, fulfilled when the observers were notified of the changes before the
  /// call.
  func afterNotifications<Value>(_ value: Value) -> Promise<Value> {
    let told = Promise<Value>()
    outbox.add { [inbox] in inbox.settle { told.fulfil(value) } }
    deliver()
    return told
  }
}

extension SessionState {
  /// Why the session has ended, if there was one.
  fileprivate var endReason: EndReason? {
    switch self {
    case .loggedOut(let state): if case .ended(let reason) = state.reason { reason } else { nil }
    case .loggingOut(let state): state.reason
    case .restoring, .authenticating, .challenged, .loggedIn, .renewing: nil
    }
  }

  fileprivate var isChecking: Bool {
    if case .renewing(let state) = self { state.purpose == .check } else { false }
  }
}

extension SessionCore {
  /// Returns the result of `work`; nil after the limit, or when the waiting task is cancelled.
  ///
  /// The work continues.
  func inTime<Value: Sendable>(_ limit: Duration, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    let result = Promise<Value>()
    start { result.fulfil(await work()) }
    if let value = result.kept { return value }
    return await waiting(atMost: limit) { await result.value() }
  }

  /// Waits for a command, whose task is cancelled after the limit or when the waiting task is
  /// cancelled.
  ///
  /// Only the waiting ends; the work of the command continues.
  func waiting<Value: Sendable, Failure: Error>(
    atMost limit: Duration?, for command: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let limit else { return try await command() }
    let result = Promise<Result<Value, Failure>>()
    let waiter = Caller.$isInsideLease.withValue(isInsideLease) {
      startAtOnce {
        do throws(Failure) {
          result.fulfil(.success(try await command()))
        } catch {
          result.fulfil(.failure(error))
        }
      }
    }
    let timer = wake(after: limit) { _ in waiter.cancel() }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      await result.valueUncancelled()
    } onCancel: {
      waiter.cancel()
    }.get()
  }

  func instant() throws(SessionError) -> BootInstant {
    do throws(ClockError) { return try clock.now() } catch { throw .clock(error) }
  }
}
