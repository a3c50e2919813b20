import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules
import ConcurrencyKit
import Glibc
import TextFormat

// The reads of a service, each on a connection of its own, and the log that they share with the
// writer.
extension SQLiteDatabase {
  /// The read-only connections of a service.
  struct Readers {
    typealias Found = (directory: OpenDirectory, file: FileIdentity)

    var idle: [SQLiteConnection] = []
    /// The file that they are to, and its directory.
    var found: Found?
    /// How many reads run, and how many of them take long, such as a copy of the whole file.
    var (running, long) = (0, 0)
    /// The log has what a deletion removed, and could not be emptied yet because of a read.
    var isOwed = false
    /// No read begins: the log is being emptied.
    var isPaused = false

    /// Counts a read that begins.
    ///
    /// - Returns: A connection, if there is an idle one, and the file; nil while no read may begin.
    mutating func take() -> (connection: SQLiteConnection?, found: Found?)? {
      if isPaused { return nil }
      running += 1
      return (idle.popLast(), found)
    }
  }

  /// The log of a service is emptied when it is larger.
  private static let longestLog = 16 << 20

  /// Runs `body` in a transaction of a connection that only reads.
  func onReader<Result: Sendable>(
    _ readers: Monitor<Readers>, _ body: (SQLiteConnection) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try withReader(readers) { (connection) throws(BackendError) in
      try connection.begin(nil)
      defer { connection.rollBack() }
      guard case .current = try Migration(connection: connection).phase() else {
        throw .unavailable(.databaseOlder, path.escaped, "older", "\(schema.version)")
      }
      return try body(connection)
    }
  }

  /// Runs `body` with a connection that only reads, once no log is being emptied.
  func withReader<Result: Sendable>(
    _ readers: Monitor<Readers>, _ body: (SQLiteConnection) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    guard var (connection, found) = readers.wait(atMost: patience, { $0.take() }) else {
      throw .unavailable(.databaseBusy, path.escaped, "its log is being emptied")
    }
    defer {
      let isDue = readers.change(wakingAll: true) { readers in
        readers.running -= 1
        if readers.found?.file == found?.file, let connection { readers.idle.append(connection) }
        return readers.isOwed && readers.running == 0 && readers.long == 0
      }
      // After a failure the next change tries again.
      if isDue { try? removeTraces() }
    }
    if let known = found, let connection, isStill(known) { return try body(connection) }
    connection = nil
    let located = try locate(nil)
    let now = (located.directory, file: try located.identity())
    found = now
    readers.withLock { if $0.found?.file != now.file { ($0.idle, $0.found) = ([], now) } }
    let reader = try SQLiteConnection(to: self, in: located.directory, wait: patience, isAlone: true)
    connection = reader
    return try body(reader)
  }

  /// Whether the path still leads to a file that was found and checked before.
  ///
  /// It costs a third of the system calls of ``locate(_:)``, which otherwise says what is wrong.
  /// SQLite opened the side files when it opened the file.
  private func isStill(_ known: Readers.Found) -> Bool {
    guard let own = try? FileFacts(of: directory.path), own.isDirectory, own.isOwn, !own.isWritableByOthers,
      let file = try? known.directory.facts(of: DatabaseFileName.file)
    else { return false }
    return file.isRegularFile && file.isOwn && file.isPrivate && FileIdentity(file: file, directory: own) == known.file
  }

  /// Writes the log into the file and empties it, while no read runs.
  ///
  /// Without that pause, reads that overlap would let the log grow without limit. A read that
  /// outlasts the wait keeps the log as it is; the end of the last read or the next change tries
  /// again.
  /// Source: sqlite.org/wal.html, "Avoiding Excessively Large WAL Files".
  func emptyLog(_ connection: SQLiteConnection, _ readers: Monitor<Readers>) throws(BackendError) {
    readers.withLock { $0.isPaused = true }
    defer { readers.change(wakingAll: true) { $0.isPaused = false } }
    _ = readers.wait(atMost: patience) { $0.running == 0 ? () : nil }
    let isBusy: Bool = try connection.one(LogQuery.empty, else: "the log cannot be emptied")
    readers.withLock { $0.isOwed = $0.isOwed && isBusy }
  }

  /// Empties the log after a change: if it is too long, unless a long read runs, or if that is owed
  /// and no read runs.
  func emptyLongLog(_ connection: SQLiteConnection, _ readers: Monitor<Readers>) {
    let (isLater, isDue) = readers.withLock { ($0.long > 0, $0.isOwed && $0.running == 0) }
    if isLater { return }
    guard isDue || (try? FileFacts(of: path + "-wal"))?.status.st_size ?? 0 > Self.longestLog else { return }
    // The change is made, whatever becomes of this; the next one tries again.
    try? emptyLog(connection, readers)
  }
}

private enum LogQuery: String, Query {
  case empty = "PRAGMA wal_checkpoint(TRUNCATE)"
}
