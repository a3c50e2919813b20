import AuthBackend
import AuthCore
import AuthDevice
import Glibc
import Guards
import TextFormat

/// The database file and the one connection to it, opened at the first use and checked at every
/// use.
///
/// Every call blocks its caller for as long as the disk and the lock of another process take, the
/// latter up to the busy wait.
final class SQLiteDatabase: Database {
  private struct Open {
    /// The connection, and the file that it is to.
    var connection: (Connection, to: stat)?
    /// Whether no other process may use the file while it is open.
    var isAlone = false
  }

  let directory: PrivateDirectory
  let patience: Duration
  let clock: any SessionClock
  let wallClock: @Sendable () -> WallTime
  private let open = Locked<Open>(Open())

  init(
    directory: PrivateDirectory, busyWait: Duration, clock: any SessionClock,
    wallClock: @escaping @Sendable () -> WallTime
  ) {
    self.directory = directory
    patience = busyWait
    self.clock = clock
    self.wallClock = wallClock
  }

  var path: String { directory.file(DatabaseFileName.file) }

  /// Runs `body` alone among all processes if it writes, whatever it decides about: SQLite has one
  /// writer.
  func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try onConnection(scope, body)
  }

  /// Removes the journal, in which the former content of changed pages stays until later changes
  /// cover it.
  func removeTraces() throws(BackendError) {
    try open.withLock { (open) throws(BackendError) in
      try connection(of: &open, .everything).execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = PERSIST")
    }
  }

  /// Keeps every other process out of the file from now on, until this one ends.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`database_in_use`) when another process uses
  ///   it.
  func holdAlone() throws(BackendError) {
    do throws(BackendError) {
      // A file of an older schema is brought to the present one first, which takes a second reader.
      try read { _ in }
      try open.withLock { (open) throws(BackendError) in
        open.connection = nil
        open.isAlone = true
        _ = try connection(of: &open, .everything)
      }
    } catch {
      guard error.code == BackendError.FailureCode.databaseBusy.rawValue else { throw error }
      throw .unavailable(.databaseInUse, path.escaped)
    }
  }

  /// What SQLite finds wrong with the file; nothing when all is well.
  func faults() throws(BackendError) -> [String] {
    try read { (db) throws(BackendError) in
      let found: [String] = try db.all(CheckQuery.integrity)
      let tables: [String] = try db.all(CheckQuery.references)
      return found.filter { $0 != "ok" } + tables.map { "a row of \($0) refers to a row that is missing" }
    }
  }

  /// Writes a copy of one state of the data to a new file; others wait meanwhile.
  func copy(to file: String) throws(BackendError) {
    try open.withLock { (open) throws(BackendError) in try connection(of: &open, nil).copy(to: file) }
  }

  func onConnection<Result: Sendable>(
    _ scope: WriteScope?, _ body: (Connection) throws(BackendError) -> Result
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
        guard let failure = commit(connection, scope) else { return result }
        failed = failure
      }
      // A connection on which a commit failed half way may hold locks, and knows no more than we
      // do.
      open.connection = nil
      if scope == nil || failed.counter != nil && changeCounter(&open) == failed.counter { throw failed.failure }
      throw .unavailable(.outcomeUnknown, path.escaped, failed.failure.values.last ?? failed.failure.description)
    }
  }

  /// Why a commit failed, and how often the file had been changed before.
  private typealias FailedCommit = (failure: BackendError, counter: [UInt8]?)

  private func commit(_ connection: Connection, _ scope: WriteScope?) -> FailedCommit? {
    let counter = scope == nil ? nil : connection.changeCounter
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

  private func requireCurrentSchema(_ connection: Connection, _ scope: WriteScope?) throws(BackendError) {
    let migration = Migration(connection: connection)
    if case .current = try migration.phase() { return }
    try connection.execute("ROLLBACK")
    // A reader becomes a writer.
    if scope == nil { _ = try file(.everything) }
    try migration.run(creating: scope == .creation)
    try connection.begin(scope)
  }

  /// The connection, made anew when the file at the path is another one than was opened.
  private func connection(of open: inout Open, _ scope: WriteScope?) throws(BackendError) -> Connection {
    let facts: FileFacts
    do throws(BackendError) {
      facts = try file(scope)
    } catch {
      open.connection = nil
      throw error
    }
    // SQLite takes for empty what is shorter than any page, and would begin anew in it.
    if (1..<512).contains(facts.status.st_size) {
      throw .unavailable(.databaseCorrupt, path.escaped, "it has \(facts.status.st_size) bytes, less than any database")
    }
    if let (connection, file) = open.connection,
      (file.st_ino, file.st_dev) == (facts.status.st_ino, facts.status.st_dev)
    {
      return connection
    }
    open.connection = nil
    let connection = try Connection(to: self, wait: patience)
    if open.isAlone { try connection.keepOthersOut() }
    open.connection = (connection, facts.status)
    return connection
  }

  /// The file, which only its owner can access, in a directory that no other user can change; a
  /// writer makes the directory private.
  private func file(_ scope: WriteScope?) throws(BackendError) -> FileFacts {
    let name = DatabaseFileName.file
    do throws(FileError) {
      if scope == .creation { try directory.create() }
      if let found = try scope == nil ? directory.look(for: name) : directory.secure(for: name) {
        for suffix in DatabaseFileName.sideFileSuffixes {
          guard let facts = try FileFacts(of: path + suffix) else { continue }
          if !(try checked(facts)).isOpenToOwner { throw facts.wrongMode("keeps its owner out") }
        }
        return try checked(found)
      }
      if scope == .creation {
        try DurableFile.create(path, mayExist: true)
        try directory.synchronize()
        if let made = try FileFacts(of: path) { return try checked(made) }
      }
    } catch {
      if error.kind != .missing || scope == .creation { throw BackendError(error) }
    }
    throw .unavailable(.databaseMissing, path.escaped, "does not exist")
  }

  private func checked(_ facts: FileFacts) throws(FileError) -> FileFacts {
    try facts.require(.file)
    guard facts.permissions == 0, facts.status.st_size == 0 else { return facts }
    // Killed between open and fchmod under a umask of 777: finish what was begun.
    guard chmod(facts.path, 0o600) == 0 else { throw .system(facts.path, "cannot be made accessible", .current) }
    return try FileFacts(of: facts.path) ?? facts
  }
}

private enum CheckQuery: String, Query {
  case integrity = "PRAGMA integrity_check"
  case references = "PRAGMA foreign_key_check"
}
