package import AuthCore
import ConcurrencyKit

/// The clock of a database on another machine, as it was last heard, continued by this machine's
/// boot clock.
///
/// Limits are instants of that clock, so that all clients agree on them, and the restart of a
/// client ends nothing.
package final class ServerClock: SessionClock {
  private struct Heard {
    let database: BootID
    let server: Int64
    let local: BootInstant
  }

  private let local: any SessionClock
  private let heard = Locked<Heard?>(nil)

  package init(local: any SessionClock) {
    self.local = local
  }

  /// Adopts the time of an answer, which is no later than its arrival.
  package func hear(_ server: Int64, from database: BootID?) {
    guard let now = try? local.now() else { return }
    heard.withLock { heard in
      guard let database = database ?? heard?.database else { return }
      heard = Heard(database: database, server: server, local: now)
    }
  }

  /// The present instant.
  ///
  /// - Throws: `ClockError` before the first answer.
  package func now() throws(ClockError) -> BootInstant {
    let now = try local.now()
    guard let last = heard.withLock({ $0 }) else {
      throw ClockError("The clock of the database was not heard yet.", hint: "Check that the database can be reached.")
    }
    guard last.local.boot == now.boot else { throw ClockError("This machine's clock began anew.") }
    return BootInstant(boot: last.database, uptime: .nanoseconds(last.server) + (now.uptime - last.local.uptime))
  }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await local.sleep(for: duration)
  }
}
