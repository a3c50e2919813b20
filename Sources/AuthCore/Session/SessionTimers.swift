/// Timers under way.
struct SessionTimers {
  var step: (epoch: Epoch, task: Task<Void, Never>)?
  var limit: (began: Epoch, task: Task<Void, Never>)?

  /// Takes out the timers of what has ended.
  mutating func outdated(by state: SessionState) -> [Task<Void, Never>] {
    var ended: [Task<Void, Never>] = []
    if let step, step.epoch != state.stepUnderTimeLimit {
      ended.append(step.task)
      self.step = nil
    }
    if let limit, limit.began != state.session?.began {
      ended.append(limit.task)
      self.limit = nil
    }
    return ended
  }

  /// Takes out all.
  mutating func all() -> [Task<Void, Never>] {
    defer { (step, limit) = (nil, nil) }
    return [step?.task, limit?.task].compactMap(\.self)
  }
}

extension SessionState {
  /// The step of a logout that must end in time.
  var stepUnderTimeLimit: Epoch? {
    switch self {
    case .loggingOut(let state): state.epoch
    case .restoring, .loggedOut, .authenticating, .loggedIn, .renewing: nil
    }
  }
}

extension SessionCore {
  /// Gives the step of a logout that has just begun a time limit, unless it has ended already.
  func limitStep(_ epoch: Epoch) {
    let isRunning = withLock { $0.machine.state.stepUnderTimeLimit == epoch && !$0.isShutDown }
    guard isRunning else { return }
    let task = Task {
      do {
        try await clock.sleep(for: timing.logoutStep)
      } catch {
        return  // Cancelled: the step has ended.
      }
      let leases = withLock { $0.gate?.running ?? 0 }
      send(.timedOut(epoch, leases: leases))
    }
    keep(task) { state, timers in
      guard state.stepUnderTimeLimit == epoch else { return false }
      timers.step = (epoch, task)
      return true
    }
  }

  /// Looks at the limits of the session that stands; ends it, or looks again when the next one could be reached.
  func enforceLimits() {
    guard let session = withLock({ $0.machine.state.session }) else { return }
    let limits = session.grant.limits
    let now: BootInstant
    do {
      now = try clock.now()
    } catch {
      // Cannot tell: the session stays, and the clock is asked again.
      watchLimit(of: session.began, after: timing.renewal.window)
      return
    }
    switch limits.verdict(at: now) {
    case .live:
      if let earliest = limits.earliest { watchLimit(of: session.began, after: earliest.uptime - now.uptime) }
    case .expired(.idle): send(.limitReached(session.began, .idle))
    case .expired(.absolute): send(.limitReached(session.began, .absolute))
    case .rebooted: send(.limitReached(session.began, .rebooted))
    }
  }

  private func watchLimit(of began: Epoch, after duration: Duration) {
    guard timing.watchesLimits, !withLock({ $0.isShutDown }) else { return }
    let task = Task {
      do {
        try await clock.sleep(for: duration)
      } catch {
        return  // Cancelled: the limit has moved or the session has ended.
      }
      enforceLimits()
    }
    keep(task) { state, timers in
      guard state.session?.began == began else { return false }
      timers.limit = (began, task)
      return true
    }
  }

  /// Keeps a timer in the place of the one before, or cancels it when what it was for is over.
  private func keep(
    _ task: Task<Void, Never>, _ place: (SessionState, inout SessionTimers) -> Bool
  ) {
    let outdated = withLock { inner -> [Task<Void, Never>] in
      let before = inner.timers
      guard !inner.isShutDown, place(inner.machine.state, &inner.timers) else { return [task] }
      return [
        before.step.flatMap { $0.task == inner.timers.step?.task ? nil : $0.task },
        before.limit.flatMap { $0.task == inner.timers.limit?.task ? nil : $0.task },
      ].compactMap(\.self)
    }
    for task in outdated { task.cancel() }
  }
}
