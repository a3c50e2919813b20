import ConcurrencyKit
import Guards

/// The running timers.
struct SessionTimers {
  /// The time limit of the step under way.
  var step: (epoch: Epoch, task: Task<Void, Never>)?
  /// The next limit from the authority.
  var watch: (watched: WatchedLimits, task: Task<Void, Never>)?

  /// Removes and returns the timers that the state no longer needs.
  mutating func outdated(by state: SessionState) -> [Task<Void, Never>] {
    let step = step?.epoch == state.awaitedEpoch ? nil : self.step.take()
    let isOutdated = if let watched = self.watch?.watched { watched != state.watchedLimits } else { false }
    let watch = isOutdated ? self.watch.take() : nil
    return [step?.task, watch?.task].compactMap(\.self)
  }
}

/// The session or challenge that the store ends in a state, at a time set by the authority.
struct WatchedLimits: Equatable {
  /// The active session.
  let session: SessionRecord?
  /// The challenge that waits for the user, with the epoch of the wait.
  let waiting: WaitingChallenge?

  fileprivate var deadlines: [Deadline] {
    [session?.grant.limits.idle, session?.grant.limits.absolute, waiting?.challenge.deadline].compactMap(\.self)
  }
}

extension SessionState {
  var watchedLimits: WatchedLimits? {
    let (session, waiting) = (session, waitingChallenge)
    return session == nil && waiting == nil ? nil : WatchedLimits(session: session, waiting: waiting)
  }
}

extension SessionStore {
  /// Does now what the timers do when a limit has passed.
  package func enforceLimits() {
    if !core.expireChallenge() { core.enforceLimits() }
  }
}

extension SessionCore {
  // MARK: The time of a step

  /// Starts the timer of a step, unless the step has already ended.
  ///
  /// The limit applies even after the store is released, so that every step ends.
  ///
  /// - Parameters:
  ///   - effect: The step.
  ///   - end: Lets only one caller end the step. A write passes it before it reports.
  func limit(_ effect: Effect, _ end: Gatekeeper<Bool>) {
    guard let epoch = effect.epoch, withLock({ $0.machine.state.awaitedEpoch == epoch }) else { return }
    let (limit, failure, cause) = effect.limit(timing)
    let task = wake(after: limit) { core in
      let leases = core.withLock { $0.gates.reduce(0) { $0 + $1.running } }
      guard let event = effect.overdue(leases: leases), end.attemptPassage() else { return }
      core.send(event, failure: failure, causes: cause.map { ["\($0) within \(limit)"] } ?? [])
    }
    withLock { inner -> Task<Void, Never>? in
      guard inner.machine.state.awaitedEpoch == epoch else { return task }
      defer { inner.timers.step = (epoch, task) }
      return inner.timers.step?.task
    }?.cancel()
  }

  /// Starts a timer, which sleeps before this returns, so that any later move of the clock wakes
  /// it.
  func wake(after wait: Duration, _ body: @escaping @Sendable (SessionCore) -> Void) -> Task<Void, Never> {
    startAtOnce { [self] in
      do {
        try await clock.sleep(for: wait)
      } catch {
        return  // Cancelled: the target of the timer has ended, or its limit has moved.
      }
      body(self)
    }
  }

  // MARK: The authority's limits

  /// Starts a timer that enforces the limits of the current state when the next one is reached,
  /// after `least` at the earliest.
  func watchLimits(after least: Duration = .zero) {
    guard let watched = withLock({ $0.machine.state.watchedLimits }) else { return }
    let wait: Duration
    do {
      let now = try clock.now()
      guard let next = watched.deadlines.compactMap({ $0.timeLeft(at: now) }).min() else { return }
      wait = max(next, least)
    } catch {
      wait = max(timing.renewal.window, .seconds(1))
    }
    // A limit may be centuries away, and few clocks can sleep that long. A daily check costs
    // nothing.
    let task = wake(after: min(wait, .seconds(86_400))) { core in
      // A limit may have passed although the clock could not be read just now.
      if !core.expireChallenge(), !core.enforceLimits() { core.watchLimits(after: .seconds(1)) }
    }
    withLock { inner -> Task<Void, Never>? in
      // Of two threads, the one with the newer limits wins.
      guard !inner.machine.isReleased, inner.machine.state.watchedLimits == watched else { return task }
      defer { inner.timers.watch = (watched, task) }
      return inner.timers.watch?.task
    }?.cancel()
  }

  /// Ends the active session if it has reached a limit.
  ///
  /// - Returns: Whether it ended. If the clock cannot be read, it does not end.
  @discardableResult
  func enforceLimits() -> Bool {
    guard let session = withLock({ $0.machine.state.session }), let now = try? clock.now(),
      let reason = session.grant.limits.endReason(at: now)
    else { return false }
    return send(.limitReached(session, reason)).isTransition
  }

  /// Ends the current challenge if its deadline has passed.
  ///
  /// - Returns: Whether it ended. If the clock cannot be read, it does not end.
  @discardableResult
  func expireChallenge() -> Bool {
    guard let waiting = waitingChallenge, let now = try? clock.now(),
      waiting.challenge.deadline.phase(at: now) != .ahead
    else { return false }
    return send(.timedOut(waiting.epoch, leases: 0)).isTransition
  }

  /// The challenge that waits for an answer, with the epoch of the wait.
  var waitingChallenge: WaitingChallenge? { withLock { $0.machine.state.waitingChallenge } }
}

extension Effect {
  /// How long a step may take; the error for the callers of its command if it takes longer, and the
  /// cause in the result of its logout.
  fileprivate func limit(_ timing: SessionTiming) -> (time: Duration, failure: SessionError?, cause: String?) {
    switch self {
    case .authenticate, .reauthenticate, .answer: (timing.loginStep, .unavailable(.late), nil)
    case .read, .renew: (timing.renewalStep, .unavailable(.late), nil)
    case .save, .exchange: (timing.renewalStep, .notSaved(.late), nil)
    case .drain: (timing.logoutStep, nil, "work under a lease did not end")
    case .revoke: (timing.logoutStep, nil, "the authority did not answer a revocation")
    case .erase, .forget: (timing.logoutStep, nil, "the vault did not forget the session")
    case .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify: (timing.renewalStep, nil, nil)
    }
  }
}
