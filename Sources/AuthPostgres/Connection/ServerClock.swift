import AuthBackend
package import AuthCore
import Guards

/// The clock of the server, as it was last heard, carried on by this machine's boot clock.
///
/// Limits are instants of the server's clock, so that all clients agree on them, and the restart of
/// a client ends nothing. The database takes the place of the boot.
package final class ServerClock: SessionClock {
  private struct Heard {
    let database: BootID
    let server: Int64
    let local: BootInstant
  }

  private let local: any SessionClock
  private let heard = Locked<(database: BootID?, last: Heard?)>((nil, nil))

  init(local: any SessionClock) {
    self.local = local
  }

  /// Takes the time of an answer, which is no later than it arrived.
  func hear(_ server: Int64, from database: BootID?) {
    guard let now = try? local.now() else { return }
    heard.withLock { heard in
      if let database { heard.database = database }
      heard.last = heard.database.map { Heard(database: $0, server: server, local: now) }
    }
  }

  /// The present instant.
  ///
  /// - Throws: `ClockError` before the first answer.
  package func now() throws(ClockError) -> BootInstant {
    let now = try local.now()
    guard let last = heard.withLock({ $0.last }) else {
      throw ClockError("The clock of the database was not heard yet.", hint: "Check that the database can be reached.")
    }
    guard last.local.boot == now.boot else { throw ClockError("This machine's clock began anew.") }
    return BootInstant(boot: last.database, uptime: .nanoseconds(last.server) + (now.uptime - last.local.uptime))
  }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await local.sleep(for: duration)
  }
}
