import AuthCore
import Glibc

/// The database file and the one connection to it, opened at the first use and checked at every use.
///
/// Every call blocks its caller for as long as the disk and the lock of another process take, the latter up to the busy
/// wait.
final class Database: Sendable {
  static let fileName = "authority.db"

  private struct Open {
    var connection: Connection?
    var inode: ino_t = 0
    var device: dev_t = 0
  }

  let directory: PrivateDirectory
  private let busyWait: Duration
  private let open = Locked<Open>(Open())

  init(directory: PrivateDirectory, busyWait: Duration) {
    self.directory = directory
    self.busyWait = busyWait
  }

  var path: String { directory.file(Self.fileName) }

  /// Runs `body` on one unchanging state of the data.
  func read<Result: Sendable>(
    _ body: (Connection) throws(LocalFailure) -> Result
  ) throws(LocalFailure) -> Result {
    try transaction("BEGIN", creating: false, body)
  }

  /// Runs `body` alone among all processes; what it throws undoes what it did.
  ///
  /// - Parameters:
  ///   - creating: Whether to make a file that is missing.
  ///   - body: Works on the connection, inside the transaction.
  /// - Returns: What `body` returns, when it is committed.
  /// - Throws: What `body` throws, or ``LocalFailure`` of kind `unavailable`.
  func write<Result: Sendable>(
    creating: Bool = false, _ body: (Connection) throws(LocalFailure) -> Result
  ) throws(LocalFailure) -> Result {
    try transaction("BEGIN IMMEDIATE", creating: creating, body)
  }

  private func transaction<Result: Sendable>(
    _ begin: String, creating: Bool, _ body: (Connection) throws(LocalFailure) -> Result
  ) throws(LocalFailure) -> Result {
    try open.withLock { (open) throws(LocalFailure) -> Result in
      let connection = try connection(of: &open, creating: creating)
      if begin != "BEGIN" { try connection.setUpForWriting() }
      try connection.execute(begin)
      do throws(LocalFailure) {
        try requireCurrentSchema(connection, creating: creating, begin)
        let result = try body(connection)
        try connection.execute("COMMIT")
        return result
      } catch {
        // The fault that is thrown is the one to report; SQLite may have rolled back by itself.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        throw error
      }
    }
  }

  private func requireCurrentSchema(
    _ connection: Connection, creating: Bool, _ begin: String
  ) throws(LocalFailure) {
    let migration = Migration(connection: connection)
    if case .current = try migration.standing() { return }
    try connection.execute("ROLLBACK")
    try migration.run(creating: creating)
    try connection.execute(begin)
  }

  /// The connection, made anew when the file at the path is another one than was opened.
  private func connection(of open: inout Open, creating: Bool) throws(LocalFailure) -> Connection {
    let facts: FileFacts
    do throws(FileFault) {
      facts = try checkedFile(creating: creating)
    } catch {
      open = Open()
      throw error.kind == .missing && !creating ? DatabaseFault.missing(path) : error.asLocalFailure
    }
    if let connection = open.connection, open.inode == facts.status.st_ino, open.device == facts.status.st_dev {
      return connection
    }
    open = Open()
    let connection = try Connection(path: path, wait: busyWait)
    open = Open(connection: connection, inode: facts.status.st_ino, device: facts.status.st_dev)
    return connection
  }

  private func checkedFile(creating: Bool) throws(FileFault) -> FileFacts {
    if creating { try directory.create() }
    guard try directory.exists() else { throw missing }
    if let facts = try FileFacts(of: path) { return try checked(facts) }
    guard creating else { throw missing }
    try DurableFile.createEmpty(path)
    try directory.synchronize()
    guard let facts = try FileFacts(of: path) else { throw missing }
    return try checked(facts)
  }

  private func checked(_ facts: FileFacts) throws(FileFault) -> FileFacts {
    try facts.require(.file)
    if facts.permissions == 0, facts.status.st_size == 0 {
      // Killed between open and fchmod under a umask of 777: finish what was begun.
      guard chmod(path, 0o600) == 0 else { throw .system(path, "cannot be made accessible", .current) }
    }
    return facts
  }

  private var missing: FileFault { FileFault(.missing, "\(path.printable) does not exist.", hint: "") }
}
