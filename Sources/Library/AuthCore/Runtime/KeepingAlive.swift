import ConcurrencyKit

extension SessionCore {
  /// Renews the session of a key in time until it ends; see ``SessionStore/keepAlive(every:)``.
  func keepAlive(_ key: LoggedInSession, every interval: Duration?) async throws(SessionError) -> EndReason {
    var backoff = Backoff()
    // An authority that grants no newer access token is not asked again for one.
    var replaced: AccessToken?
    while true {
      if let reason = key.endReason {
        await cleanedUp()
        return reason
      }
      let token = key.gate.record.accessToken
      let access = token == replaced ? nil : token.flatMap { token in time { key.gate.timeToRenew(token, at: $0) } }
      let idle = time { key.newest.limits.idle.timeLeft(at: $0) }
      let wait = backoff.wait(idle: idle, due: [access, interval].compactMap(\.self).min())
      // The gate is drained when the session has ended, with its last lease.
      _ = await waiting(atMost: wait ?? .seconds(86_400)) { await key.gate.drained.value() }
      if Task.isCancelled { throw .cancelled }
      guard wait != nil, !key.gate.isClosed else { continue }
      do throws(SessionError) {
        _ = try await work(.session(.renew), in: key.gate, because: .keepAlive)
        let next = key.gate.record.accessToken
        let left = next.flatMap { next in time { key.gate.timeToRenew(next, at: $0) } }
        // An authority whose tokens end when they are granted is not asked each second.
        if next != token, let left, left <= .zero { backoff.fail(nil) } else { backoff = Backoff() }
        replaced = token
      } catch {
        if error == .cancelled { throw error }
        backoff.fail(error)
      }
    }
  }

  /// The time to a limit; nil without one, and zero if the clock cannot be read.
  private func time(to limit: (BootInstant) -> Duration?) -> Duration? {
    do { return limit(try clock.now()) } catch { return .zero }
  }
}

/// The waits between renewals.
struct Backoff {
  private var failures = 0
  /// The least wait that an authority asked for.
  private var asked = Duration.zero

  /// Counts a renewal that failed, or that is to be repeated for a reason other than an error.
  mutating func fail(_ error: SessionError?) {
    failures += 1
    asked = if case .throttled(.wait(let wait)) = error { wait } else { .zero }
  }

  /// The time until the next renewal, for this time to the idle limit, and to another reason to
  /// renew; nil without both.
  func wait(idle: Duration?, due: Duration? = nil) -> Duration? {
    let half = idle.map { max($0 / 2, .seconds(1)) }
    guard let first = [half, due.map { max($0, .seconds(1)) }].compactMap(\.self).min() else { return nil }
    if failures == 0 { return first }
    let next = Duration.seconds(min(300, 5 << min(failures - 1, 6)))
    return max(min(next, half ?? next), asked)
  }
}
