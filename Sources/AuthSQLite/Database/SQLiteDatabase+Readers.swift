import AuthBackend
import AuthCore
import AuthDevice
import Glibc
import Guards
import TextFormat

// The reads of a service, each on a connection of its own, and the log that they share with the
// writer.
extension SQLiteDatabase {
  /// The read-only connections of a service.
  struct Readers {
    var idle: [SQLiteConnection] = []
    /// The file that they are to.
    var file: FileIdentity?
    /// How many reads run, and how many of them take long, such as a copy of the whole file.
    var (running, long) = (0, 0)
    /// The log is to be emptied when no long read runs.
    var isOwed = false
    /// No read begins: the log is being emptied.
    var isPaused = false

    /// Counts a read that begins, and takes its connection.
    ///
    /// - Returns: A connection to that file, if there is an idle one; nil while no read may begin.
    mutating func take(_ file: FileIdentity) -> SQLiteConnection?? {
      if isPaused { return nil }
      if self.file != file { (idle, self.file) = ([], file) }
      running += 1
      return .some(idle.popLast())
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
        throw .unavailable(.databaseOlder, path.escaped, "older", "\(Schema.version)")
      }
      return try body(connection)
    }
  }

  /// Runs `body` with a connection that only reads, once no log is being emptied.
  func withReader<Result: Sendable>(
    _ readers: Monitor<Readers>, _ body: (SQLiteConnection) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let place = try place(nil)
    let file = try place.identity()
    guard let kept = readers.wait(atMost: patience, { $0.take(file) }) else {
      throw .unavailable(.databaseBusy, path.escaped, "its log is being emptied")
    }
    var connection = kept
    defer {
      readers.change(wakingAll: true) { readers in
        readers.running -= 1
        if readers.file == file, let connection { readers.idle.append(connection) }
      }
    }
    let reader =
      if let kept { kept } else { try SQLiteConnection(to: self, in: place.directory, wait: patience, isAlone: true) }
    connection = reader
    return try body(reader)
  }

  /// Writes the log into the file and empties it, while no read runs.
  ///
  /// Without that pause, reads that overlap would let the log grow without limit.
  /// Source: sqlite.org/wal.html, "Avoiding Excessively Large WAL Files".
  func emptyLog(_ connection: SQLiteConnection, _ readers: Monitor<Readers>) throws(BackendError) {
    readers.withLock { $0.isPaused = true }
    defer { readers.change(wakingAll: true) { $0.isPaused = false } }
    _ = readers.wait(atMost: patience) { $0.running == 0 ? () : nil }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Empties the log after a change that made it too long, unless a long read runs.
  func emptyLongLog(_ connection: SQLiteConnection, _ readers: Monitor<Readers>) {
    guard let log = try? FileFacts(of: path + "-wal"), log.status.st_size > Self.longestLog,
      readers.withLock({ $0.long == 0 })
    else { return }
    // The change is made, whatever becomes of this; the next one tries again.
    try? emptyLog(connection, readers)
  }
}
