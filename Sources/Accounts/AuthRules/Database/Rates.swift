package import AuthAccounts
import ConcurrencyKit

/// How often each caller may do something: a number of times without a pause, and at a steady rate
/// after that.
///
/// Each process counts for itself. With many callers, those that have paused long enough are
/// removed; an hour later, if the times that were not counted are still to be reported.
package final class Rates<Caller: Hashable & Sendable>: Sendable {
  private struct Count: Sendable {
    var made = 0.0
    var at: ContinuousClock.Instant
    /// How many times were not counted since the last one that was.
    var omitted = 0

    /// Removes from `made` what no longer counts.
    ///
    /// After the clock was set back no time has passed, and the rate continues from the new time.
    mutating func advance(to now: ContinuousClock.Instant, _ perSecond: Double) {
      made = max(0, made - max(.zero, now - at) / .seconds(1) * perSecond)
      at = now
    }
  }

  private struct Counts: Sendable {
    var ofCaller: [Caller: Count] = [:]
    /// With more callers, those that have paused are looked for.
    var most = 10_000
  }

  private let counts = Locked(Counts())
  private let burst: Double
  private let perSecond: Double
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - burst: How many times without a pause.
  ///   - perSecond: How many times in a second after that.
  ///   - now: The time, for tests that move it.
  package init(
    burst: Int, perSecond: Double, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) { (self.burst, self.perSecond, self.now) = (Double(burst), perSecond, now) }

  /// The number of callers that are remembered.
  package var callers: Int { counts.withLock { $0.ofCaller.count } }

  /// Refuses a caller that has used up its times.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`service_busy`) with the wait.
  package func require(_ caller: Caller) throws(BackendError) {
    let surplus = counts.withLock { excess(of: caller, &$0) }
    if surplus > 0 { throw refusal(surplus) }
  }

  /// Counts one time for a caller, or refuses one that has used up its times.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`service_busy`) with the wait.
  package func take(_ caller: Caller) throws(BackendError) {
    if counted(caller) == nil { throw refusal(counts.withLock { excess(of: caller, &$0) }) }
  }

  private func refusal(_ excess: Double) -> BackendError {
    .unavailable(.serviceBusy, "\(max(1, Int((excess / perSecond).rounded(.up))))")
  }

  /// Counts one time for a caller, if it has not used up its times.
  ///
  /// - Parameters:
  ///   - caller: The caller.
  ///   - condition: Whether to count it, besides that.
  /// - Returns: How many times were not counted since the last one that was; nil if this one is
  ///   not.
  package func counted(_ caller: Caller, if condition: @autoclosure () -> Bool = true) -> Int? {
    counts.withLock { counts in
      guard excess(of: caller, &counts) <= 0, condition() else {
        counts.ofCaller[caller, default: Count(at: now())].omitted += 1
        return nil
      }
      defer { count(caller, &counts) }
      return counts.ofCaller[caller]?.omitted ?? 0
    }
  }

  /// Counts one time for a caller.
  package func count(_ caller: Caller) { counts.withLock { count(caller, &$0) } }

  /// Takes one time of a caller back, which counts for another one.
  package func refund(_ caller: Caller) {
    counts.withLock { counts in
      guard let made = counts.ofCaller[caller]?.made else { return }
      counts.ofCaller[caller]?.made = max(0, made - 1)
    }
  }

  private func count(_ caller: Caller, _ counts: inout Counts) {
    let now = now()
    counts.ofCaller[caller] = Count(made: made(by: caller, &counts, at: now) + 1, at: now)
    guard counts.ofCaller.count > counts.most else { return }
    counts.ofCaller = counts.ofCaller.filter { _, count in
      var present = count
      present.advance(to: now, perSecond)
      return present.made > 0 || count.omitted > 0 && now - count.at < .seconds(3600)
    }
    // Not at each count where all still count: a user may have 65,536 subordinate ones.
    counts.most = max(10_000, counts.ofCaller.count * 2)
  }

  /// By how many times one more would be too many; not above zero for a caller who may.
  private func excess(of caller: Caller, _ counts: inout Counts) -> Double {
    made(by: caller, &counts, at: now()) + 1 - burst
  }

  /// How often still counts.
  private func made(by caller: Caller, _ counts: inout Counts, at now: ContinuousClock.Instant) -> Double {
    counts.ofCaller[caller]?.advance(to: now, perSecond)
    return counts.ofCaller[caller]?.made ?? 0
  }
}
