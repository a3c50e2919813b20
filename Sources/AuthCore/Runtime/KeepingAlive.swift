import Guards

extension SessionCore {
  /// Renews the session of a key in time until it ends; see ``SessionStore/keepAlive()``.
  func keepAlive(_ key: LoggedInSession) async throws(SessionError) -> EndReason {
    var backoff = Backoff()
    while true {
      if let reason = key.endReason {
        await cleanedUp()
        return reason
      }
      let wait = backoff.wait(idle: idleTime(of: key))
      // The gate is drained when the session has ended, with its last lease.
      _ = await waiting(atMost: wait ?? .seconds(86_400)) { await key.gate.drained.value() }
      if Task.isCancelled { throw .cancelled }
      guard wait != nil, !key.gate.isClosed else { continue }
      do throws(SessionError) {
        _ = try await work(.renew, for: key.gate)
        backoff = Backoff()
      } catch {
        if error == .cancelled { throw error }
        backoff.fail(error)
      }
    }
  }

  /// The time to the idle limit; nil without one.
  ///
  /// If the clock cannot be read, it is zero.
  private func idleTime(of key: LoggedInSession) -> Duration? {
    do { return key.newest.limits.idle.timeLeft(at: try clock.now()) } catch { return .zero }
  }
}

/// The waits between renewals.
struct Backoff {
  private var failures = 0
  /// The least wait that an authority asked for.
  private var asked = Duration.zero

  mutating func fail(_ error: SessionError) {
    failures += 1
    asked = if case .throttled(.wait(let wait)) = error { wait } else { .zero }
  }

  /// The time until the next renewal, for this time to the idle limit; nil without such a limit.
  func wait(idle: Duration?) -> Duration? {
    guard let idle else { return nil }
    let half = max(idle / 2, .seconds(1))
    if failures == 0 { return half }
    let next = Duration.seconds(min(300, 5 << min(failures - 1, 6)))
    return max(min(next, half), asked)
  }
}
