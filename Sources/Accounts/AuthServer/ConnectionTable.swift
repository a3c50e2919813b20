import AuthService

/// The open connections of a service, and the places that callers have among them.
struct ConnectionTable {
  /// The open connections by number, each with the caller whose limits count it.
  var connections: [UInt64: (connection: Connection, holder: Caller)] = [:]
  var places: CallerShares
  var counts = ServiceCounts()
  /// The listener is not watched, because there was no descriptor for a connection.
  var isDeaf = false
  /// No connection is accepted any more.
  var isClosed = false
  var isOver: Bool { isClosed && connections.isEmpty }

  mutating func remove(_ number: UInt64) -> Connection? {
    guard let (connection, holder) = connections.removeValue(forKey: number) else { return nil }
    places.leave(holder)
    return connection
  }

  /// Takes a place for a caller, if necessary from the caller with the most.
  ///
  /// - Returns: Whether it has one, and the newest connection of the other, which has none now.
  mutating func seat(_ caller: Caller) -> (isSeated: Bool, removed: Connection?) {
    if places.take(caller) { return (true, nil) }
    guard let giver = places.giver(for: caller),
      let newest = connections.filter({ $0.value.holder == giver }).keys.max()
    else { return (false, nil) }
    let removed = remove(newest)
    return (places.take(caller), removed)
  }
}
