import AuthAccounts
import AuthCore
import AuthRules
import AuthService
import ConcurrencyKit
import Glibc

/// Tells subscribers to look again when something changed that concerns their account.
///
/// Each change logs an event or a transfer. After a request that writes, and each second where
/// other services share the database, the feed reads the accounts of the new events and transfers.
final class ChangeFeed: Sendable {
  private struct Subscriber: Sendable {
    let connection: Connection
    let token: SessionToken
    let account: Int64
    let isAdministrator: Bool
  }

  private struct State {
    var subscribers: [UInt64: Subscriber] = [:]
    /// The subscribers that the feed has to notify, and the turn since which it has to.
    var owed: [UInt64: (subscriber: Subscriber, turn: Int)] = [:]
    var turn = 0
    /// The subscribers whose notice waits for a thread, which covers further changes until then.
    var queued: Set<UInt64> = []
    var isAwake = false
    var isOver = false
  }

  /// The pause between two turns, in microseconds.
  private static let pause: useconds_t = 5_000
  /// How many subscribers of one user are notified in each turn of the feed.
  private static let noticesOfUser = 4
  private let rules: Rules
  private let period: Duration
  private let state = Monitor(State())
  private let cursors = Monitor(Cursors())

  /// Creates a feed, which reads nothing yet.
  ///
  /// - Parameters:
  ///   - rules: The database, and who may subscribe.
  ///   - period: How often to look for what others wrote.
  init(_ rules: Rules, every period: Duration) {
    self.rules = rules
    self.period = period
  }

  /// Starts the feed with the changes after this moment.
  ///
  /// - Parameter queue: Has a thread for requests call ``tell(_:_:)``; calls ``tellLater(_:)`` if
  ///   the queue has no place.
  /// - Returns: False when the system gave no thread.
  func start(_ queue: @escaping @Sendable (Connection, SessionToken) -> Void) -> Bool {
    catchUp()
    return startThread { self.run(queue) }
  }

  /// The number of subscribers.
  var count: Int { state.withLock { $0.subscribers.count } }

  /// Has the feed look for changes, because a request may have written some.
  func wake() {
    state.change(wakingAll: true, if: { $0.isAwake }) { $0.isAwake = $0.isAwake || !$0.subscribers.isEmpty }
  }

  /// Adds the session's user as a subscriber, in place of an earlier one of the connection.
  ///
  /// It is not notified of changes from before.
  func add(_ connection: Connection, _ token: SessionToken) throws(BackendError) {
    let grant = try rules.perform(Operations.resume, on: token)
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

  /// Ends the thread of the feed.
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
      // One read covers many changes.
      usleep(Self.pause)
    }
  }

  /// Reads the new changes, and notes which subscribers have to be notified.
  ///
  /// - Parameter new: A subscriber to add, for changes from now on.
  private func catchUp(adding new: Subscriber? = nil) {
    cursors.withLock { cursors in
      let accounts = readChanges(&cursors)
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

  /// Reads the accounts of the new events and transfers; none when the database cannot be read.
  private func readChanges(_ cursors: inout Cursors) -> Set<Int64?> {
    let rows = try? rules.database.read { [cursors] (db) throws(BackendError) in
      (try cursors.events.rows(in: db), try cursors.transfers.rows(in: db))
    }
    guard let (events, transfers) = rows else { return [] }
    return cursors.events.advance(events).union(cursors.transfers.advance(transfers))
  }

  /// Queues notices among the requests of each subscriber's user, a few at a time.
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

  /// Notifies a subscriber of a change, on a thread for requests.
  ///
  /// The notice after a session has ended is its last one.
  func tell(_ connection: Connection, _ token: SessionToken) {
    state.withLock { _ = $0.queued.remove(connection.number) }
    connection.notifyChange()
    if (try? rules.perform(Operations.lookUp, on: token) == nil) == true { remove(connection.number) }
  }

  /// Notes that a subscriber must be notified later, because its user has too many requests now.
  func tellLater(_ connection: Connection) {
    state.change(wakingAll: true) { state in
      state.queued.remove(connection.number)
      if let subscriber = state.subscribers[connection.number] {
        state.owed[connection.number] = (subscriber, state.turn)
      }
    }
  }
}

/// The position up to which a table was read.
///
/// Transactions do not commit in the order of their numbers, so the last rows are read again.
private struct Cursor: Sendable {
  typealias Row = (id: Int64, accounts: [Int64?])

  /// Stands for all accounts, when there are too many new rows to read each.
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

  /// Moves the position behind rows that were read.
  ///
  /// - Returns: The accounts of those that are new.
  mutating func advance(_ rows: [Row]) -> Set<Int64?> {
    let new = rows.filter { !seen.contains($0.id) }
    last = max(last, rows.first?.id ?? 0)
    seen = Set(rows.map(\.id).filter { $0 > last - Self.overlap })
    return rows.count == Self.limit ? [Self.everybody] : Set(new.flatMap(\.accounts))
  }
}

/// The statements that the feed reads changes with.
package enum FeedQuery: String, Query {
  case account = "SELECT id FROM accounts WHERE name = $1"
  case events = "SELECT id, account, actor FROM events WHERE id > $1 ORDER BY id DESC LIMIT $2"
  case transfers = "SELECT id, payer, payee FROM transfers WHERE id > $1 ORDER BY id DESC LIMIT $2"
}
