import Guards

/// How often each caller may do something: a number of times without a pause, and at a steady rate
/// after that.
///
/// Each process counts for itself. With many callers, those that have paused long enough are
/// removed.
package final class Rates<Caller: Hashable & Sendable>: Sendable {
  private struct Count: Sendable {
    var made: Double
    var at: ContinuousClock.Instant
  }

  private struct Counts: Sendable {
    var ofCaller: [Caller: Count] = [:]
    /// With more callers, those that have paused are looked for.
    var most = 10_000
  }

  private let counts = Locked(Counts())
  private let burst: Double
  private let perSecond: Double

  /// - Parameters:
  ///   - burst: How many times without a pause.
  ///   - perSecond: How many times in a second after that.
  package init(burst: Int, perSecond: Double) { (self.burst, self.perSecond) = (Double(burst), perSecond) }

  /// Refuses a caller that has used up its times.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`service_busy`) with the wait.
  package func require(_ caller: Caller) throws(BackendError) {
    try counts.withLock { (counts) throws(BackendError) in try require(caller, counts.ofCaller) }
  }

  private func require(_ caller: Caller, _ counts: [Caller: Count]) throws(BackendError) {
    let excess = excess(of: caller, counts)
    if excess > 0 { throw .unavailable(.serviceBusy, "\(max(1, Int((excess / perSecond).rounded(.up))))") }
  }

  /// By how many times one more would be too many; not above zero for a caller who may.
  private func excess(of caller: Caller, _ counts: [Caller: Count]) -> Double {
    made(counts[caller], at: .now) + 1 - burst
  }

  /// Counts one time for a caller, or refuses one that has used up its times.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`service_busy`) with the wait.
  package func take(_ caller: Caller) throws(BackendError) {
    try counts.withLock { (counts) throws(BackendError) in
      try require(caller, counts.ofCaller)
      count(caller, &counts)
    }
  }

  /// Counts one time for a caller, if it has not used up its times.
  ///
  /// - Returns: Whether it was counted.
  package func counted(_ caller: Caller) -> Bool {
    counts.withLock { counts in
      guard excess(of: caller, counts.ofCaller) <= 0 else { return false }
      count(caller, &counts)
      return true
    }
  }

  /// Counts one time for a caller.
  package func count(_ caller: Caller) {
    counts.withLock { count(caller, &$0) }
  }

  private func count(_ caller: Caller, _ counts: inout Counts) {
    let now = ContinuousClock.now
    counts.ofCaller[caller] = Count(made: made(counts.ofCaller[caller], at: now) + 1, at: now)
    guard counts.ofCaller.count > counts.most else { return }
    counts.ofCaller = counts.ofCaller.filter { made($1, at: now) > 0 }
    // Not at each count where all still count: a user may have 65,536 subordinate ones.
    counts.most = max(10_000, counts.ofCaller.count * 2)
  }

  /// How often still counts.
  private func made(_ count: Count?, at now: ContinuousClock.Instant) -> Double {
    guard let count else { return 0 }
    return max(0, count.made - (now - count.at) / .seconds(1) * perSecond)
  }
}
