import AuthBackend
import AuthCore
import Glibc
import Guards

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
    /// Those whom the feed has to tell, and since which of its turns.
    var owed: [UInt64: (subscriber: Subscriber, turn: Int)] = [:]
    var turn = 0
    /// Those who wait for a thread that tells them; another change until then is the same news.
    var queued: Set<UInt64> = []
    var isAwake = false
    var isOver = false
  }

  /// Between two turns, in microseconds.
  private static let pause: useconds_t = 5_000
  /// How many subscribers of one user are told in each turn of the feed.
  private static let noticesOfUser = 4
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
    let grant = try Operations.resume.run(rules, token)
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

  func remove(_ connection: UInt64) {
    state.withLock { state in
      state.subscribers[connection] = nil
      state.queued.remove(connection)
    }
  }

  private struct Cursors: Sendable {
    var events = Cursor(.events)
    var transfers = Cursor(.transfers)
  }

  private func run(_ queue: (Connection, SessionToken) -> Void) {
    while true {
      let isBehind = state.withLock { !$0.owed.isEmpty }
      let isOver = state.wait(atMost: isBehind ? .microseconds(Self.pause) : period) { state -> Bool? in
        // A notice that another thread could not queue must not wait for a whole period.
        guard state.isAwake || state.isOver || !isBehind && !state.owed.isEmpty else { return nil }
        state.isAwake = false
        return state.isOver
      }
      if isOver == true { return }
      catchUp()
      notify(queue)
      // Many changes in a row are one look.
      usleep(Self.pause)
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
        state.turn += 1
        state.owed.merge(concerned.mapValues { [turn = state.turn] in ($0, turn) }) { earlier, _ in earlier }
        if let new { state.subscribers[new.connection.number] = new }
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

  /// Queues what has to be told among the requests of each subscriber's user, a few at a time.
  ///
  /// So the thread of the feed waits for no subscriber, and each user's notices cost little.
  private func notify(_ queue: (Connection, SessionToken) -> Void) {
    let next = state.withLock { state in
      state.owed = state.owed.filter { state.subscribers[$0.key] != nil && !state.queued.contains($0.key) }
      var counts: [Caller: Int] = [:]
      let next = state.owed.values.sorted { $0.turn < $1.turn }.map(\.subscriber).filter { subscriber in
        let user = Caller(user: subscriber.connection.peer.caller.user)
        counts[user, default: 0] += 1
        return counts[user, default: 0] <= Self.noticesOfUser
      }
      for subscriber in next {
        state.owed[subscriber.connection.number] = nil
        state.queued.insert(subscriber.connection.number)
      }
      return next
    }
    for subscriber in next { queue(subscriber.connection, subscriber.token) }
  }

  /// Tells a subscriber to look again, on a thread for requests.
  ///
  /// That it is over is the last thing that a session hears.
  func tell(_ connection: Connection, _ token: SessionToken) {
    state.withLock { _ = $0.queued.remove(connection.number) }
    connection.lookAgain()
    if (try? Operations.lookUp.run(rules, token) == nil) == true { remove(connection.number) }
  }

  /// Notes that a subscriber was not told because its user has too many requests.
  func tellLater(_ connection: Connection) {
    state.change(wakingAll: true) { state in
      state.queued.remove(connection.number)
      if let subscriber = state.subscribers[connection.number] {
        state.owed[connection.number] = (subscriber, state.turn)
      }
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
