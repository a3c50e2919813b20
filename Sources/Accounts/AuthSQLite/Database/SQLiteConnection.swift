import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules
import CSQLite
import Glibc
import TextFormat

/// One connection to the database file, with its statements kept prepared.
///
/// Not safe for use from two threads at once: ``SQLiteDatabase`` lends it to one at a time.
final class SQLiteConnection: Transaction {
  /// The database, which owns this connection.
  private unowned let database: SQLiteDatabase
  /// The directory of the file.
  let directory: OpenDirectory
  private let handle: OpaquePointer
  private let wait: BusyWait
  /// A list and not a dictionary: the first dictionary of a kind makes the runtime search every
  /// conformance in the executable, which costs a short process more than it could ever save here.
  private var statements: [(sql: String, statement: OpaquePointer)] = []
  private var isSetUpForWriting = false
  /// The present instant of the transaction, once it was read.
  private var instant: BootInstant?

  /// Opens a file that exists.
  ///
  /// Nothing is read from it yet.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - directory: The directory of the file.
  ///   - limit: How long to wait for a lock.
  ///   - isAlone: Whether no other process may use the file, from the first read on until every
  ///     connection of this process is closed.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  init(
    to database: SQLiteDatabase, in directory: OpenDirectory, wait limit: Duration, isAlone: Bool = false
  ) throws(BackendError) {
    let path = database.path
    _ = Self.configured
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // Unlike the pragma for exclusive locking, this lets the process have several connections.
    // Source: sqlite.org/vfs.html#standard_unix_vfses.
    let code = sqlite3_open_v2(
      DirectoryVFS.path(of: DatabaseFileName.file, in: directory), &handle, flags,
      isAlone ? DirectoryVFS.alone : DirectoryVFS.shared)
    guard let handle, code == SQLITE_OK else {
      let error = ErrorNumber(handle.map { sqlite3_system_errno($0) } ?? 0)
      let detail = String(cString: sqlite3_errstr(code))
      sqlite3_close(handle)
      throw BackendError(sqlite: code, systemError: error, detail: detail, path: path)
    }
    (self.database, self.directory, self.handle) = (database, directory, handle)
    wait = BusyWait(limit: limit)
    wait.install(on: handle)
  }

  /// Opens an empty database in memory, to compare with.
  private init(inMemoryBeside other: SQLiteConnection) throws(BackendError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nil)
    guard let handle, code == SQLITE_OK else {
      sqlite3_close(handle)
      throw other.failure(code)
    }
    (database, directory, self.handle) = (other.database, other.directory, handle)
    wait = BusyWait(limit: .zero)
  }

  /// A database in memory with the tables that this one should have.
  func likeNew() throws(BackendError) -> SQLiteConnection {
    let new = try SQLiteConnection(inMemoryBeside: self)
    for step in schema.steps(from: 0) { try new.execute(step) }
    return new
  }

  /// A second connection to the same file.
  func another(wait limit: Duration) throws(BackendError) -> SQLiteConnection {
    try SQLiteConnection(to: database, in: directory, wait: limit)
  }

  var path: String { database.path }
  var schema: Schema { database.schema }

  /// It fails when SQLite was used in this process before; then it is configured already.
  private static let configured = csqlite_configure()

  deinit {
    for prepared in statements { sqlite3_finalize(prepared.statement) }
    sqlite3_close(handle)
  }

  /// Settings that only a writer needs; they read nothing from the file, except that the journal
  /// mode needs the schema.
  ///
  /// Journal mode PERSIST was the fastest of the rollback modes for short processes when measured
  /// (write 1.47 ms against 1.71 for DELETE and 1.72 for TRUNCATE; a read costs the same), and
  /// leaves no side file behind a reader as WAL does. `synchronous = FULL` suffices with it: EXTRA
  /// adds the directory's synchronisation after the journal is unlinked, and here the commit is the
  /// synchronised zeroing of its header.
  /// Source: sqlite.org/pragma.html#pragma_synchronous, #pragma_journal_mode.
  ///
  /// A service has a write-ahead log, so that its readers and its writer do not wait for each
  /// other.
  func setUpForWriting() throws(BackendError) {
    if isSetUpForWriting { return }
    try execute(
      """
      PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
      PRAGMA synchronous = FULL; PRAGMA journal_mode = \(database.isServed ? "WAL" : "PERSIST");
      PRAGMA journal_size_limit = 1048576
      """)
    isSetUpForWriting = true
  }

  /// Takes the lock that keeps other processes out; see the initializer.
  func keepOthersOut() throws(BackendError) { try execute("BEGIN EXCLUSIVE; COMMIT") }

  /// Runs statements without results, which are not kept prepared.
  func execute(_ sql: String) throws(BackendError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Writes a copy of one state of the data to a new file, durably.
  func copy(to file: String) throws(BackendError) {
    let quoted = file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    try execute("VACUUM INTO '\(quoted)'")
    do throws(FileError) { try DurableFile.synchronize(file) } catch { throw BackendError(error) }
  }

  /// Begins a transaction, with the lock of a writer unless it only reads.
  func begin(_ scope: WriteScope?) throws(BackendError) {
    instant = nil
    try execute(scope == nil ? "BEGIN" : "BEGIN IMMEDIATE")
  }

  /// The instant on the machine's boot clock at which the transaction first looked.
  func now() throws(BackendError) -> BootInstant {
    if let instant { return instant }
    do throws(ClockError) {
      let now = try database.clock.now()
      instant = now
      return now
    } catch {
      throw BackendError(error)
    }
  }

  var wallTime: WallTime { database.wallClock() }

  /// The time in microseconds, or one more than the last number where the wall clock stood still or
  /// went back.
  func eventNumber() throws(BackendError) -> Int64? {
    max(wallTime.microseconds, try first(EventQuery.next) ?? 0)
  }

  func receiptNumber() throws(BackendError) -> Int64? { try first(LedgerQuery.skippedTo) }

  func skipReceipts(through number: Int64) throws(BackendError) -> Int64 {
    try one(OperatorQuery.skipReceipts, number, else: "the row of settings is missing")
  }

  /// Nothing to do: SQLite has one writer.
  func lock(_ lock: Lock) {}

  /// Undoes an open transaction; SQLite has ended it by itself after some faults.
  func rollBack() {
    if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
  }

  /// How often the file was changed, by the count in its header; nil when that cannot be read.
  ///
  /// It is read through SQLite's own descriptor, because closing another one would release SQLite's
  /// locks.
  /// Source: sqlite.org/fileformat.html#file_change_counter.
  var changeCounter: [UInt8]? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var counter = [UInt8](repeating: 0, count: 4)
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      file.pointee.pMethods?.pointee.xRead?(file, &counter, 4, 24) == SQLITE_OK
    else { return nil }
    return counter
  }

  var place: String { path.escaped }

  func damaged(_ detail: String) -> BackendError { .unavailable(.databaseCorrupt, path.escaped, detail) }

  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int {
    try stepping(sql, values) { (columns) throws(BackendError) in try wantsMore(Row(columns, of: self)) }
  }

  /// The same with the columns as SQLite has them.
  @discardableResult
  func stepping(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (ColumnsOfStatement) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int {
    let statement = try prepared(sql)
    defer { sqlite3_reset(statement) }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1), to: statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        if try !wantsMore(ColumnsOfStatement(statement: statement)) { return Int(sqlite3_changes(handle)) }
      case SQLITE_DONE: return Int(sqlite3_changes(handle))
      case let code: throw failure(code)
      }
    }
  }

  private func prepared(_ sql: String) throws(BackendError) -> OpaquePointer {
    for prepared in statements where prepared.sql == sql { return prepared.statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard let statement, code == SQLITE_OK else { throw failure(code) }
    statements.append((sql, statement))
    return statement
  }

  private func bind(_ value: SQLValue, at index: Int32, to statement: OpaquePointer) throws(BackendError) {
    // SQLITE_TRANSIENT, which C defines as a cast that Swift does not import: SQLite copies the
    // bytes at once.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code =
      switch value {
      case .integer(let number): sqlite3_bind_int64(statement, index, number)
      case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copied)
      case .blob(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), copied)
      case .null: sqlite3_bind_null(statement, index)
      }
    if code != SQLITE_OK { throw failure(code) }
  }

  private func failure(_ code: Int32) -> BackendError {
    let last = ErrorNumber.current
    if code & 0xFF == SQLITE_CORRUPT, let device = deviceError(last) {
      return BackendError(
        sqlite: SQLITE_IOERR, systemError: device, detail: String(cString: sqlite3_errstr(SQLITE_IOERR)), path: path)
    }
    // SQLite forgets the number when it is the commit that fails; the last call that failed was the
    // write then. It keeps none of a lock that fails, and calls that busy.
    let kept = ErrorNumber(sqlite3_system_errno(handle))
    let isOfLock = code & 0xFF == SQLITE_BUSY && last.code == ENOLCK
    return BackendError(
      sqlite: code, systemError: isOfLock || kept.code == 0 && last.isNoSpace ? last : kept,
      // It quotes what is in the file.
      detail: String(cString: sqlite3_errmsg(handle)).escaped, path: path)
  }

  /// The error of the device because of which SQLite says that the file is damaged, as it does when
  /// some reads fail; nil when what was read is.
  ///
  /// - Parameter last: What the system said last, which is all there is to ask when it was the
  ///   journal that could not be read.
  /// - Returns: The error of the device.
  private func deviceError(_ last: ErrorNumber) -> ErrorNumber? {
    var kept: Int32 = 0
    _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &kept)
    return [ErrorNumber(kept), last].first { [EIO, ENXIO, ERANGE].contains($0.code) }
  }
}

/// The columns of the current row of a statement, valid until its next step.
struct ColumnsOfStatement: RowColumns {
  let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func blob(_ column: Int32) -> [UInt8] {
    // The order matters: the pointer first, then its length (sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// All columns, as they are stored.
  var values: [SQLValue] {
    (0..<sqlite3_column_count(statement)).map { column in
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: .integer(integer(column))
      case SQLITE_TEXT: .text(String(decoding: blob(column), as: UTF8.self))
      case SQLITE_BLOB: .blob(blob(column))
      case _: .null
      }
    }
  }
}
