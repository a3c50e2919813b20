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
    /// Those whom the feed has to tell.
    var owed: [UInt64: Subscriber] = [:]
    var isAwake = false
    var isOver = false
  }

  private let rules: Rules
  private let period: Duration
  private let state = Monitor(State())
  private let cursors = Monitor(Cursors())

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
  /// - Parameter queue: Sees to it that ``tell(_:_:)`` is called on a thread for requests, or
  ///   ``tellLater(_:)``.
  /// - Returns: False when there is no thread.
  func start(_ queue: @escaping @Sendable (Connection, SessionToken) -> Void) -> Bool {
    catchUp()
    return startThread { self.run(queue) }
  }

  /// How many there are.
  var count: Int { state.withLock { $0.subscribers.count } }

  /// Says that something may have been written.
  func wake() {
    state.change(wakingAll: true, if: { $0.isAwake }) { $0.isAwake = $0.isAwake || !$0.subscribers.isEmpty }
  }

  /// Takes the session's user as a subscriber, in place of an earlier one of the connection.
  ///
  /// What was written before is none of its changes.
  func add(_ connection: Connection, _ token: SessionToken) throws(BackendError) {
    guard let grant = try rules.perform(.resume(token)).grant else { return }
    let account = try rules.database.read { (db) throws(BackendError) -> Int64? in
      try db.first(FeedQuery.account, grant.user.username)
    }
    guard let account else { throw .session(.ended(.accountDeleted)) }
    let subscriber = Subscriber(
      connection: connection, token: token, account: account, isAdministrator: grant.user.role == .administrator)
    catchUp(adding: subscriber)
    // It may have hung up, and been removed, before it was added.
    if !connection.isOpen { remove(connection.number) }
  }

  /// Ends its thread.
  func stop() { state.change(wakingAll: true) { $0.isOver = true } }

  func remove(_ connection: UInt64) { state.withLock { _ = $0.subscribers.removeValue(forKey: connection) } }

  private struct Cursors: Sendable {
    var events = Cursor(.events)
    var transfers = Cursor(.transfers)
  }

  private func run(_ queue: (Connection, SessionToken) -> Void) {
    while true {
      let isBehind = state.withLock { !$0.owed.isEmpty }
      let isOver = state.wait(atMost: isBehind ? .milliseconds(100) : period) { state -> Bool? in
        guard state.isAwake || state.isOver else { return nil }
        state.isAwake = false
        return state.isOver
      }
      if isOver == true { return }
      catchUp()
      notify(queue)
      // Many changes in a row are one look.
      usleep(10_000)
    }
  }

  /// Reads what is new, and notes who has to be told.
  ///
  /// - Parameter new: A subscriber for what is written from now on.
  private func catchUp(adding new: Subscriber? = nil) {
    cursors.withLock { cursors in
      let accounts = look(&cursors)
      state.change { state in
        let concerned = state.subscribers.filter { _, subscriber in
          subscriber.isAdministrator && !accounts.isEmpty || accounts.contains(subscriber.account)
            || accounts.contains(Cursor.everybody)
        }
        state.owed.merge(concerned) { $1 }
        if let new { state.subscribers[new.connection.number] = new }
        state.isAwake = state.isAwake || new != nil && !state.owed.isEmpty
      }
    }
  }

  /// Reads which accounts the new events and transfers name; none when that cannot be read.
  private func look(_ cursors: inout Cursors) -> Set<Int64?> {
    let rows = try? rules.database.read { [cursors] (db) throws(BackendError) in
      (try cursors.events.rows(in: db), try cursors.transfers.rows(in: db))
    }
    guard let (events, transfers) = rows else { return [] }
    return cursors.events.advance(events).union(cursors.transfers.advance(transfers))
  }

  /// Queues what has to be told among the requests of each subscriber's user.
  ///
  /// So the thread of the feed waits for no subscriber.
  private func notify(_ queue: (Connection, SessionToken) -> Void) {
    let owed = state.withLock { state in
      defer { state.owed = [:] }
      return state.owed.values
    }
    for subscriber in owed { queue(subscriber.connection, subscriber.token) }
  }

  /// Tells a subscriber to look again, on a thread for requests.
  ///
  /// That it is over is the last thing that a session hears.
  func tell(_ connection: Connection, _ token: SessionToken) {
    connection.lookAgain()
    if let answer = try? rules.perform(.lookUp(token)), case .found(nil) = answer { remove(connection.number) }
  }

  /// Notes that a subscriber was not told because its user has too many requests.
  func tellLater(_ connection: Connection) {
    state.withLock { state in
      if let subscriber = state.subscribers[connection.number] { state.owed[connection.number] = subscriber }
    }
  }
}

/// Where the reading of a table has come to.
///
/// Transactions do not commit in the order of their numbers, so the last rows are read again.
private struct Cursor: Sendable {
  typealias Row = (id: Int64, accounts: [Int64?])

  /// Stands for all accounts, when there are too many rows to look at each.
  static let everybody: Int64? = nil
  static let limit: Int64 = 1000
  private static let overlap: Int64 = 128

  private let query: FeedQuery
  private var last: Int64 = 0
  private var seen: Set<Int64> = []

  init(_ query: FeedQuery) { self.query = query }

  /// The newest rows, the newest one first.
  func rows(in db: any Transaction) throws(BackendError) -> [Row] {
    try db.all(query, last - Self.overlap, Self.limit) { (row) throws(BackendError) in
      (try row[0], [try row[1], try row[2]].compactMap(\.self))
    }
  }

  /// Takes rows that were read.
  ///
  /// - Returns: The accounts of those that are new.
  mutating func advance(_ rows: [Row]) -> Set<Int64?> {
    let new = rows.filter { !seen.contains($0.id) }
    last = max(last, rows.first?.id ?? 0)
    seen = Set(rows.map(\.id).filter { $0 > last - Self.overlap })
    return rows.count == Self.limit ? [Self.everybody] : Set(new.flatMap(\.accounts))
  }
}

/// What the feed reads.
package enum FeedQuery: String, Query {
  case account = "SELECT id FROM accounts WHERE name = $1"
  case events = "SELECT id, account, actor FROM events WHERE id > $1 ORDER BY id DESC LIMIT $2"
  case transfers = "SELECT id, payer, payee FROM transfers WHERE id > $1 ORDER BY id DESC LIMIT $2"
}
