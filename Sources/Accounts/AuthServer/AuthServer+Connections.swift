import AuthAccounts
import AuthCore
import AuthRules
import AuthService
import CSocket
import ConcurrencyKit
import Glibc

/// Connections: who gets one, and how it ends.
extension AuthServer {
  /// How many connections are accepted before other sockets have their turn.
  private static let acceptsOfTurn = 16
  private static let refusal = ServerFrame.failure(Frames.unnumbered, now: nil, .tooManyConnections).encoded()

  /// Accepts a few connections.
  ///
  /// One thread at a time does: the event of the listener comes once, until this function or the
  /// sweep watches it again.
  func accept() {
    for _ in 0..<Self.acceptsOfTurn {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        admit(descriptor)
      } else if errno == EAGAIN || errno == EINTR || errno == ECONNABORTED {
        break
      } else {
        return table.withLock { $0.isDeaf = true }
      }
    }
    _ = csocket_rearm(epoll, listener, 1, 0, Self.listenerTag)
  }

  private func admit(_ descriptor: Int32) {
    guard let peer = Peer(of: descriptor) else {
      close(descriptor)
      return
    }
    let holder = peer.caller
    let isSlowEnough = connects.isCounted(holder)
    let (connection, removed): (Connection?, Connection?) = table.withLock { table in
      guard !table.isClosed, isSlowEnough else { return (nil, nil) }
      let (isSeated, removed) = table.seat(holder)
      guard isSeated else { return (nil, removed) }
      table.counts.accepted += 1
      let connection = Connection(descriptor, peer, number: table.counts.accepted, of: self)
      table.connections[connection.number] = (connection, holder)
      return (connection, removed)
    }
    evict(removed)
    if let connection {
      let hello = ServiceHello(database: identity, now: try? rules.database.clock.now(), policy: rules.policy)
      connection.open(.hello(hello))
    } else {
      _ = send(descriptor, Self.refusal, Self.refusal.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      close(descriptor)
      logRefusal(Connection.Ending.tooMany.rawValue, peer)
    }
  }

  /// Ends a connection that gave up its place.
  private func evict(_ connection: Connection?) {
    guard let connection else { return }
    connection.refuse(.tooMany, .tooManyConnections)
    // The client may never read the message, so the connection does not wait for that.
    drop(connection, .tooMany)
    logRefusal(Connection.Ending.tooMany.rawValue, connection.peer)
  }

  /// Acts on what a connection found when it read its socket.
  func act(_ connection: Connection, _ actions: Connection.Actions) {
    if actions.isNamed, !isAdmitted(connection, as: connection.peer.caller) {
      return connection.refuse(.tooMany, .tooManyConnections)
    }
    if let (id, kind) = actions.request { submit(Job(connection: connection, id: id, kind: kind)) }
    if let ending = actions.ending { drop(connection, ending) }
  }

  /// Counts a connection for the name of its caller too.
  ///
  /// - Returns: False when the name connects too often, or has no place for it.
  private func isAdmitted(_ connection: Connection, as named: Caller) -> Bool {
    connects.isCounted(asName: named) && takePlace(connection, as: named)
  }

  private func takePlace(_ connection: Connection, as named: Caller) -> Bool {
    let (isSeated, removed): (Bool, Connection?) = table.withLock { table in
      guard let holder = table.connections[connection.number]?.holder else { return (true, nil) }
      table.places.leave(holder)
      table.connections[connection.number]?.holder = named
      let seat = table.seat(named)
      if !seat.isSeated {
        table.connections[connection.number]?.holder = holder
        _ = table.places.take(holder)
      }
      return seat
    }
    evict(removed)
    return isSeated
  }

  func drop(_ connection: Connection, _ ending: Connection.Ending) {
    let wasThere = table.change(if: \.isOver) { $0.remove(connection.number) != nil }
    if wasThere, ending != .hungUp, ending != .stopping { logRefusal(ending.rawValue, connection.peer) }
    // Another connection may get the number of the descriptor as soon as it is closed.
    connection.close()
    feed.remove(connection.number)
  }

  /// Closes overdue connections, reads from those again that were put off, and watches the listener
  /// again after descriptors ran out.
  func sweep() {
    let now = ContinuousClock.now
    let (open, isDeaf): ([Connection], Bool) = table.withLock { table in
      defer { table.isDeaf = false }
      return (table.connections.values.map(\.connection), table.isDeaf && !table.isClosed)
    }
    for connection in open {
      if let ending = connection.overdue(at: now) { drop(connection, ending) } else { connection.resume() }
    }
    if isDeaf { _ = csocket_rearm(epoll, listener, 1, 0, Self.listenerTag) }
  }
}
