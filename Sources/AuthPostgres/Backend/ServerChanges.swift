import AuthBackend

/// Listens for notices of the server on a connection of its own, which must be direct: a pool of
/// transactions hands notices to nobody.
///
/// A notice says that a session was ended or an account changed, and is never trusted for more.
/// Payments send none, because notices make commits wait for each other; so there is a look every
/// few seconds, too.
final class ServerChanges: ChangeSource {
  private let address: ServerAddress
  private let limits: ServerLimits
  private let timeline: NewestTimeline
  private var connection: ServerConnection?

  init(_ server: Server) {
    address = server.address
    limits = server.limits
    timeline = server.timeline
  }

  func listen() throws(BackendError) -> Bool {
    if let connection, !connection.isGone() { return true }
    do throws(ServerFault) {
      let connection = try Connecting(address: address, limits: limits, timeline: timeline).connect()
      _ = try connection.run("LISTEN \(ServerSchema.channel)", [], until: ContinuousClock.now + limits.answer)
      self.connection = connection
      return true
    } catch {
      // The look finds out what is wrong, and says it.
      connection = nil
      return false
    }
  }

  var descriptor: Int32 { connection?.descriptor ?? -1 }

  var longestWait: Duration? { .seconds(5) }

  func drain() throws(BackendError) -> Bool {
    guard let connection else { return true }
    let found = connection.takeNotices()
    if connection.isGone() {
      self.connection = nil
      return true
    }
    return found
  }
}
