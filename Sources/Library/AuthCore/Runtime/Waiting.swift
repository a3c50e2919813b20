import ConcurrencyKit
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

  /// The key after a command about the session of `gate`, or about any session, that never leads to
  /// a second step.
  func session(
    of command: SessionCommand.OnSession, in gate: LeaseGate? = nil, about subject: CommandSubject? = nil,
    submitting submitted: Submitted? = nil, because cause: RenewalCause = .activity, within limit: Duration? = nil
  ) async throws(SessionError) -> LoggedInSession {
    let result = try await work(
      .session(command), in: gate, about: subject, submitting: submitted, because: cause, within: limit)
    // Beside an open challenge, the result is that challenge.
    if let session = result.session ?? withLock({ $0.key }), gate == nil || session.gate === gate { return session }
    throw .ended(gate?.reason ?? withLock { $0.machine.state.endReason } ?? .switchedUser)
  }

  /// What a command about the session of a key names.
  func subject(_ gate: LeaseGate?) -> CommandSubject {
    guard let gate, gate.core === self else { return .nobody }
    return .session(gate.record.began)
  }

  /// Sends a command whose result is a session or a challenge, and waits for the result.
  ///
  /// If the machine answers that other work on the session comes first, this waits for a change of
  /// the state and sends the command again.
  ///
  /// `gate` is the session that the caller named, if it named one. The command is about that, or
  /// about `subject`.
  func work(
    _ command: SessionCommand, in gate: LeaseGate? = nil, about subject: CommandSubject? = nil,
    submitting submitted: Submitted? = nil, because cause: RenewalCause = .activity, within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    let subject = subject ?? self.subject(gate)
    return try await waiting(atMost: limit, late: \.timedOut) { () async throws(SessionError) in
      let caller = self.caller
      while true {
        if command == .answer { self.expireChallenge() }
        let instant = command == .session(.renew) ? try self.instant() : nil
        let (reaction, now) = self.send(
          .command(command, about: subject, by: caller), submitting: submitted,
          unless: { inner in instant.flatMap { self.answer(to: cause, of: subject, at: $0, &inner) } }
        ) { reaction, inner in
          (wait: inner.awaited.wait(after: reaction, caller), state: inner.machine.state, key: inner.key)
        }
        switch (reaction, now.wait) {
        case (_, .result(let promise)): return try await self.result(of: PendingLogin(promise: promise))
        case (_, .turn(let promise)): if await promise.value() == nil { throw .cancelled }
        case (.rejected(let reason), .nothing): throw reason.failure(in: gate, subject, now.state)
        case (.ignored, .nothing), (.transition, .nothing):
          // Only a renewal is ignored, when one succeeded a moment ago.
          guard let key = now.key else { preconditionFailure("the machine ignores no command") }
          return .loggedIn(key)
        }
      }
    }
  }

  /// The facts about the calling task that its commands bring.
  private var caller: CommandCaller {
    CommandCaller(isInsideLease: isInsideLease, since: withLock { $0.machine.lastEpoch })
  }

  /// The answer to a renewal that is not needed; nil if the machine decides.
  private func answer(
    to cause: RenewalCause, of subject: CommandSubject, at now: BootInstant, _ inner: inout Inner
  ) -> Reaction? {
    guard let session = inner.machine.state.restingSession, subject.includes(session) else { return nil }
    switch cause {
    case .keepAlive: return nil
    case .activity:
      return inner.renewals.consume(at: now, under: timing.renewal, before: session.grant.limits.timeLeft(at: now))
    case .access(let known):
      if session.accessToken != known { return .ignored(.renewedRecently) }
      let lifetime = known.flatMap { token in inner.gate?.lifetime(of: token, at: now) }
      return inner.accessRenewals.consume(at: now, under: timing.renewal, before: lifetime)
    }
  }

  /// Ends the session that a caller names, without waiting.
  ///
  /// - Returns: The answer of the machine, and the logout.
  func beginLogOut(_ subject: CommandSubject, by caller: CommandCaller = .outside) -> (Reaction, PendingLogout) {
    let (reaction, promise) = send(.command(.logOut, about: subject, by: caller)) { reaction, inner in
      reaction.isTransition ? Awaited.begin(&inner.awaited.logout) : nil
    }
    if promise == nil { retryRevocations() }
    return (reaction, PendingLogout(promise: promise ?? afterNotifications(.alreadyLoggedOut)))
  }

  func logOut(_ subject: CommandSubject, within limit: Duration?) async throws(LogoutError) -> LogoutResult {
    let (reaction, logout) = beginLogOut(subject, by: caller)
    if reaction == .rejected(.insideLease) { throw .insideLease }
    return try await waiting(atMost: limit, late: \.timedOut) { () async throws(LogoutError) in
      try await logout.value()
    }
  }
}

// The result of a caller whose limit has passed.
extension Result where Failure == SessionError {
  var timedOut: Self { if case .failure(.cancelled) = self { .failure(.timedOut) } else { self } }
}

extension Result where Failure == LogoutError {
  var timedOut: Self { if case .failure(.cancelled) = self { .failure(.timedOut) } else { self } }
}

extension Result<RestoreOutcome, Never> {
  var timedOut: Self { if case .success(.cancelled) = self { .success(.timedOut) } else { self } }
}

extension SessionError.Rejection {
  /// The error for the caller of a command about the session of a gate, or about any session.
  fileprivate func failure(in gate: LeaseGate?, _ subject: CommandSubject, _ state: SessionState) -> SessionError {
    switch kind {
    case .otherSession:
      guard let gate else { return .rejected(.notLoggedIn) }
      return gate.reason.map { .ended($0) } ?? .rejected(.otherSession)
    case .insideLease: return .insideLease
    case .storeReleased: return .ended(.storeReleased)
    case .notLoggedIn, .logoutInProgress:
      // The end of the session says more to a caller who checks it.
      if subject == .anyone, let ended = state.endReason { return .ended(ended) }
      return .rejected(self)
    case .alreadyLoggedIn, .challengeOver, .logoutUnfinished, .alreadyInProgress, .renewalInProgress, .renewalsFailed:
      return .rejected(self)
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
  /// Only the waiting ends; the work of the command continues. `late` gets the result after the
  /// limit, to tell that apart from a cancellation.
  func waiting<Value: Sendable, Failure: Error>(
    atMost limit: Duration?, late: (Result<Value, Failure>) -> Result<Value, Failure> = { $0 },
    for command: @escaping @Sendable () async throws(Failure) -> Value
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
    let isLate = Gatekeeper<Bool>()
    let timer = wake(after: limit) { _ in
      isLate.attemptPassage()
      waiter.cancel()
    }
    defer { timer.cancel() }
    let ended = await withTaskCancellationHandler {
      await result.valueUncancelled()
    } onCancel: {
      waiter.cancel()
    }
    return try (isLate.mayPass ? ended : late(ended)).get()
  }

  func instant() throws(SessionError) -> BootInstant {
    do throws(ClockError) { return try clock.now() } catch { throw .clock(error) }
  }
}
