import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules
import ConcurrencyKit
import Glibc
import TextFormat

/// The database file and the one connection to it, opened at the first use and checked at every
/// use.
///
/// Every call blocks its caller for as long as the disk and the lock of another process take, the
/// latter up to the busy wait.
final class SQLiteDatabase: Database {
  private struct Open {
    /// The connection, and the file that it is to.
    var connection: (SQLiteConnection, to: FileIdentity)?
    /// Whether no other process may use the file while it is open.
    var isAlone = false
  }

  let directory: PrivateDirectory
  let schema: Schema
  let patience: Duration
  let clock: any SessionClock
  let wallClock: @Sendable () -> WallTime
  private let open = Locked<Open>(Open())
  /// Reads of a service, which wait for no write; nil for an embedded database.
  private let readers: Monitor<Readers>?

  init(
    directory: PrivateDirectory, schema: Schema, busyWait: Duration, clock: any SessionClock, isServed: Bool = false,
    wallClock: @escaping @Sendable () -> WallTime
  ) {
    self.schema = schema
    readers = isServed ? Monitor(Readers()) : nil
    self.directory = directory
    patience = busyWait
    self.clock = clock
    self.wallClock = wallClock
  }

  var path: String { directory.file(DatabaseFileName.file) }
  /// Whether a service holds the file alone and reads on connections of their own.
  var isServed: Bool { readers != nil }

  /// Runs `body` alone among all processes if it writes, whatever it decides about: SQLite has one
  /// writer.
  func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    if scope == nil, let readers { return try onReader(readers, body) }
    return try onConnection(scope, body)
  }

  /// Removes the journal, in which the former content of changed pages stays until later changes
  /// cover it.
  func removeTraces() throws(BackendError) {
    try open.withLock { (open) throws(BackendError) in
      if let readers {
        let isLater = readers.withLock { readers in
          readers.isOwed = true
          return readers.long > 0
        }
        if !isLater { try emptyLog(try connection(of: &open, .everything), readers) }
        return
      }
      try connection(of: &open, .everything).execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = PERSIST")
    }
  }

  /// Keeps every other process out of the file from now on, until this one ends.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`database_in_use`) when another process uses
  ///   it.
  func holdAlone() throws(BackendError) {
    try refusingSharedUse { () throws(BackendError) in
      // A file of an older schema is brought to the present one first, which takes a second reader.
      try onConnection(nil) { _ in }
      try open.withLock { (open) throws(BackendError) in
        open.connection = nil
        open.isAlone = true
        let connection = try connection(of: &open, .everything)
        if isServed { try connection.setUpForWriting() }
      }
    }
  }

  /// Runs `body`, where another process that has the file is not waited for in vain.
  private func refusingSharedUse<Result>(_ body: () throws(BackendError) -> Result) throws(BackendError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      guard error.code == BackendError.FailureCode.databaseBusy.rawValue else { throw error }
      throw .unavailable(.databaseInUse, path.escaped)
    }
  }

  /// Ends the service: the file is again as an embedded program leaves it, without a log.
  func endService() throws(BackendError) {
    readers?.withLock { $0.idle = [] }
    try open.withLock { (open) throws(BackendError) in
      try open.connection?.0.execute("PRAGMA journal_mode = PERSIST")
      open.connection = nil
    }
  }

  /// What is wrong with the file and its tables; nothing when all is well.
  func faults() throws(BackendError) -> [String] {
    try atLength { () throws(BackendError) in
      func check(_ db: SQLiteConnection) throws(BackendError) -> [String] {
        let found: [String] = try db.all(CheckQuery.integrity)
        let tables: [String] = try db.all(CheckQuery.references)
        return found.filter { $0 != "ok" } + tables.map { "a row of \($0) refers to a row that is missing" }
          + (try SchemaComparison.differences(of: db))
      }
      if let readers { return try onReader(readers, check) }
      return try onConnection(nil, check)
    }
  }

  /// Whether the file has an older schema, which its next use upgrades.
  func isOlder() throws(BackendError) -> Bool {
    try refusingSharedUse { () throws(BackendError) in
      try open.withLock { (open) throws(BackendError) in
        let connection = try connection(of: &open, nil)
        try connection.begin(nil)
        defer { connection.rollBack() }
        if case .older = try Migration(connection: connection).phase() { return true }
        return false
      }
    }
  }

  /// Writes a copy of one state of the data to a new file; in an embedded database, others wait
  /// meanwhile.
  func copy(to file: String) throws(BackendError) {
    try atLength { () throws(BackendError) in
      if let readers {
        return try withReader(readers) { (connection) throws(BackendError) in try connection.copy(to: file) }
      }
      try open.withLock { (open) throws(BackendError) in try connection(of: &open, nil).copy(to: file) }
    }
  }

  /// Runs a long read; a service empties its log when it has ended, because other reads wait for
  /// that.
  func atLength<Result>(_ body: () throws(BackendError) -> Result) throws(BackendError) -> Result {
    guard let readers else { return try body() }
    readers.withLock { $0.long += 1 }
    defer {
      let isDue = readers.withLock { readers in
        readers.long -= 1
        return readers.isOwed && readers.long == 0
      }
      // As after a change: the next one tries again.
      if isDue { try? removeTraces() }
    }
    return try body()
  }

  func onConnection<Result: Sendable>(
    _ scope: WriteScope?, _ body: (SQLiteConnection) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try open.withLock { (open) throws(BackendError) -> Result in
      let failed: FailedCommit
      do {
        let connection = try connection(of: &open, scope)
        if scope != nil { try connection.setUpForWriting() }
        try connection.begin(scope)
        let result: Result
        do throws(BackendError) {
          try requireCurrentSchema(connection, scope)
          result = try body(connection)
        } catch {
          connection.rollBack()
          throw error
        }
        guard let failure = commit(connection, scope) else {
          if let readers, scope != nil { emptyLongLog(connection, readers) }
          return result
        }
        failed = failure
      }
      // A connection on which a commit failed half way may hold locks, and knows no more than we
      // do.
      open.connection = nil
      // What has no room in the log has no end there, and is never committed.
      if isServed, failed.failure.code == FileError.Kind.noSpace.rawValue { throw failed.failure }
      if scope == nil || failed.counter != nil && changeCounter(&open) == failed.counter { throw failed.failure }
      throw .unavailable(.outcomeUnknown, path.escaped, failed.failure.values.last ?? failed.failure.description)
    }
  }

  /// Why a commit failed, and how often the file had been changed before.
  private typealias FailedCommit = (failure: BackendError, counter: [UInt8]?)

  private func commit(_ connection: SQLiteConnection, _ scope: WriteScope?) -> FailedCommit? {
    // In the log, the count of changes says nothing.
    let counter = scope == nil || isServed ? nil : connection.changeCounter
    do throws(BackendError) {
      try connection.execute("COMMIT")
      return nil
    } catch {
      connection.rollBack()
      return (error, counter)
    }
  }

  /// The count of changes that the next process will find, when it has undone what was left half
  /// done.
  private func changeCounter(_ open: inout Open) -> [UInt8]? {
    do throws(BackendError) {
      let connection = try connection(of: &open, nil)
      try connection.begin(nil)
      defer { connection.rollBack() }
      _ = try Migration(connection: connection).phase()
      return connection.changeCounter
    } catch {
      return nil
    }
  }

  private func requireCurrentSchema(_ connection: SQLiteConnection, _ scope: WriteScope?) throws(BackendError) {
    let migration = Migration(connection: connection)
    if case .current = try migration.phase() { return }
    try connection.execute("ROLLBACK")
    // A reader becomes a writer.
    if scope == nil { _ = try locate(.everything) }
    try migration.run(creating: scope == .creation)
    try connection.begin(scope)
  }

  /// The connection, made anew when the file at the path is another one than was opened.
  private func connection(of open: inout Open, _ scope: WriteScope?) throws(BackendError) -> SQLiteConnection {
    let located: LocatedFile
    do throws(BackendError) {
      located = try locate(scope)
    } catch {
      open.connection = nil
      throw error
    }
    // SQLite takes for empty what is shorter than any page, and would begin anew in it.
    let size = located.facts.status.st_size
    if (1..<512).contains(size) {
      throw .unavailable(.databaseCorrupt, path.escaped, "it has \(size) bytes, less than any database")
    }
    let identity = try located.identity()
    if let (connection, file) = open.connection, file == identity { return connection }
    open.connection = nil
    let connection = try SQLiteConnection(to: self, in: located.directory, wait: patience, isAlone: open.isAlone)
    if open.isAlone { try connection.keepOthersOut() }
    open.connection = (connection, identity)
    return connection
  }
}

private enum CheckQuery: String, Query {
  case integrity = "PRAGMA integrity_check"
  case references = "PRAGMA foreign_key_check"
}
