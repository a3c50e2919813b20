import Guards

/// How many changes each account may make, so that nobody fills the disk of a service.
///
/// An account may make ``burst`` changes without a pause, and ten a second after that. The counts
/// are those of one process, and accounts that make no changes have none.
final class WriteRates: Sendable {
  private struct Count: Sendable {
    var made: Double
    var at: ContinuousClock.Instant
  }

  private let counts = Locked<[Int64: Count]>([:])
  private let burst: Double
  private static let (perSecond, longest) = (10.0, 10_000)

  /// - Parameter burst: How many changes an account may make without a pause.
  init(burst: Int) { self.burst = Double(burst) }

  /// Refuses a change of an account that made too many.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`service_busy`) with the wait.
  func require(_ account: Int64) throws(BackendError) {
    let excess = counts.withLock { Self.made($0[account], at: .now) } + 1 - burst
    if excess > 0 { throw .unavailable(.serviceBusy, "\(max(1, Int((excess / Self.perSecond).rounded(.up))))") }
  }

  /// Counts a change that was made.
  func count(_ account: Int64) {
    let now = ContinuousClock.now
    counts.withLock { counts in
      counts[account] = Count(made: Self.made(counts[account], at: now) + 1, at: now)
      if counts.count > Self.longest { counts = counts.filter { Self.made($1, at: now) > 0 } }
    }
  }

  /// How many changes still count.
  private static func made(_ count: Count?, at now: ContinuousClock.Instant) -> Double {
    guard let count else { return 0 }
    return max(0, count.made - (now - count.at) / .seconds(1) * perSecond)
  }
}
