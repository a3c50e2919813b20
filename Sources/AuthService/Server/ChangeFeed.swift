import AuthBackend
import AuthCore
import Glibc

/// Tells subscribers to look again when something changed that concerns their account.
///
/// Each change leaves an event or a transfer. After a request that writes, and each second where
/// other services share the database, it reads which accounts the new ones name.
final class ChangeFeed: Sendable {
  private struct Subscriber: Sendable {
    let connection: Connection
    let token: SessionToken
    let account: Int64
    let isAdministrator: Bool
  }

  private struct State {
    var subscribers: [UInt64: Subscriber] = [:]
    var isAwake = false
    var fault: String?
  }

  private let rules: Rules
  private let period: Duration
  private let state = Monitor(State())

  /// Creates it; nothing is read yet.
  ///
  /// - Parameters:
  ///   - rules: The database, and who may subscribe.
  ///   - period: How often to look for what others wrote.
  init(_ rules: Rules, every period: Duration) {
    self.rules = rules
    self.period = period
  }

  /// Begins with what is in the database now.
  ///
  /// - Parameter tell: Takes a connection that was told, and what came of it.
  /// - Returns: False when there is no thread.
  func start(_ tell: @escaping @Sendable (Connection, Connection.Outcome) -> Void) -> Bool {
    var cursors = Cursors()
    _ = look(&cursors)
    return startThread { [cursors] in self.run(from: cursors, tell) }
  }

  /// How many there are.
  var count: Int { state.withLock { $0.subscribers.count } }

  /// Why the database could not be read the last time, if it could not.
  var fault: String? { state.withLock { $0.fault } }

  /// Says that something may have been written.
  func wake() { state.change { $0.isAwake = $0.isAwake || !$0.subscribers.isEmpty } }

  /// Takes the session's user as a subscriber, in place of an earlier one of the connection.
  func add(_ connection: Connection, _ token: SessionToken) throws(BackendError) {
    guard case .grant(let grant) = try rules.perform(.resume(token)) else { return }
    let account = try rules.database.read { (db) throws(BackendError) in
      try db.first(FeedQuery.account, .text(grant.user.username)) { $0.integer(0) }
    }
    guard let account else { throw .session(.ended(.accountDeleted)) }
    let subscriber = Subscriber(
      connection: connection, token: token, account: account, isAdministrator: grant.user.role == .administrator)
    state.change { $0.subscribers[connection.number] = subscriber }
  }

  func remove(_ connection: UInt64) { state.withLock { _ = $0.subscribers.removeValue(forKey: connection) } }

  private struct Cursors: Sendable {
    var events = Cursor(newest: .newestEvent, following: .events)
    var transfers = Cursor(newest: .newestTransfer, following: .transfers)
  }

  private func run(from start: Cursors, _ tell: @Sendable (Connection, Connection.Outcome) -> Void) {
    var cursors = start
    while true {
      _ = state.wait(atMost: period) { state -> Bool? in
        guard state.isAwake else { return nil }
        state.isAwake = false
        return true
      }
      let accounts = look(&cursors)
      if !accounts.isEmpty { notify(accounts, tell) }
      // Many changes in a row are one look.
      usleep(10_000)
    }
  }

  /// Reads which accounts the new events and transfers name; none when that cannot be read.
  private func look(_ cursors: inout Cursors) -> Set<Int64?> {
    do throws(BackendError) {
      let (events, transfers) = try rules.database.read { [cursors] (db) throws(BackendError) in
        (try cursors.events.rows(in: db), try cursors.transfers.rows(in: db))
      }
      state.withLock { $0.fault = nil }
      return cursors.events.advance(events).union(cursors.transfers.advance(transfers))
    } catch {
      state.withLock { $0.fault = error.code }
      return []
    }
  }

  private func notify(_ accounts: Set<Int64?>, _ tell: @Sendable (Connection, Connection.Outcome) -> Void) {
    let concerned = state.withLock {
      $0.subscribers.values.filter {
        $0.isAdministrator || accounts.contains($0.account) || accounts.contains(Cursor.everybody)
      }
    }
    for subscriber in concerned {
      tell(subscriber.connection, subscriber.connection.lookAgain())
      // That it is over is the last thing that a session hears.
      if let answer = try? rules.perform(.lookUp(subscriber.token)), case .found(nil) = answer {
        remove(subscriber.connection.number)
      }
    }
  }
}

/// Where the reading of a table has come to.
///
/// Transactions do not commit in the order of their numbers, so the last rows are read again.
private struct Cursor: Sendable {
  struct Row: Sendable {
    let id: Int64
    let accounts: [Int64?]
  }

  /// Stands for all accounts, when there are too many rows to look at each.
  static let everybody: Int64? = nil
  static let limit: Int64 = 1000
  private static let overlap: Int64 = 128

  private let newest: FeedQuery
  private let following: FeedQuery
  private var last: Int64?
  private var seen: Set<Int64> = []

  init(newest: FeedQuery, following: FeedQuery) {
    self.newest = newest
    self.following = following
  }

  func rows(in db: any Transaction) throws(BackendError) -> [Row] {
    guard let last else { return [Row(id: try newest(in: db), accounts: [])] }
    let rows = try db.all(following, .integer(last - Self.overlap), .integer(Self.limit)) { row in
      Row(id: row.integer(0), accounts: [1, 2].filter { !row.isNull($0) }.map { row.integer($0) })
    }
    guard rows.count == Self.limit else { return rows }
    return [Row(id: try newest(in: db), accounts: [Self.everybody])]
  }

  private func newest(in db: any Transaction) throws(BackendError) -> Int64 {
    try db.first(newest) { $0.integer(0) } ?? 0
  }

  /// Takes rows that were read.
  ///
  /// - Returns: The accounts of those that are new.
  mutating func advance(_ rows: [Row]) -> Set<Int64?> {
    let isFirst = last == nil
    let new = rows.filter { !seen.contains($0.id) }
    let end = max(last ?? 0, rows.map(\.id).max() ?? 0)
    last = end
    seen = seen.union(rows.map(\.id)).filter { $0 > end - Self.overlap }
    return isFirst ? [] : Set(new.flatMap(\.accounts))
  }
}

/// What the feed reads.
package enum FeedQuery: String, Query {
  case account = "SELECT id FROM accounts WHERE name = $1"
  case newestEvent = "SELECT coalesce(max(id), 0) FROM events"
  case newestTransfer = "SELECT coalesce(max(id), 0) FROM transfers"
  case events = "SELECT id, account, actor FROM events WHERE id > $1 ORDER BY id LIMIT $2"
  case transfers = "SELECT id, payer, payee FROM transfers WHERE id > $1 ORDER BY id LIMIT $2"
}
