import AuthAccounts
import CSQLite
import Glibc

/// How long a statement waits for a lock that another process holds: often and briefly, up to a
/// bound.
///
/// SQLite's own waits grow to 100 ms, so that many short writers sleep past each other; a payment
/// holds the lock about a millisecond, and here the pause never exceeds two. The pauses differ at
/// random, so that waiters do not march in step.
/// Source: sqlite.org/c3ref/busy_handler.html.
final class BusyWait {
  private let limit: Duration
  private var end = ContinuousClock.now

  init(limit: Duration) {
    self.limit = limit
  }

  /// Makes `connection` wait like this.
  ///
  /// The object must live as long as the connection does.
  func install(on connection: OpaquePointer) {
    sqlite3_busy_handler(
      connection,
      { context, round in
        guard let context else { return 0 }
        return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().pause(round: round) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func pause(round: Int32) -> Bool {
    if round == 0 { end = .now + limit }
    guard .now < end else { return false }
    let ceiling: UInt32 = min(100 << min(round, 5), 2_000)
    usleep(.random(in: ceiling / 4...ceiling))
    return true
  }
}
