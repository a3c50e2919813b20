public import AuthAccounts
public import AuthCore
public import AuthDevice
package import AuthRules
import TextFormat

/// The embedded authority: accounts, sessions, a ledger and events in one SQLite file, passwords
/// hashed by libcrypt.
///
/// Every call blocks its caller: for the disk, for the lock of another process (up to the busy
/// wait, then `unavailable`), and for about 0.1 s where a password is hashed. Any number of
/// processes and threads may use the same directory at once; their changes take some serial order.
///
/// The file is opened at the first use and checked at every use, so a repaired file works again.
/// Only ``register(username:password:displayName:)`` creates a database; everywhere else a missing
/// one is `unavailable`.
///
/// The same user id can edit its own files, so administrator is a role here and not a boundary.
public final class LocalAuthority: Backend {
  let database: SQLiteDatabase
  /// The rules that decide about each request.
  package let rules: Rules
  /// The label of sessions that begin here.
  public let label: String?
  /// The origin of a session that begins here.
  public let origin: @Sendable () -> SessionOrigin?

  /// Creates an authority over a directory.
  ///
  /// This does not read or create anything yet.
  ///
  /// - Parameters:
  ///   - directory: The directory of `authority.db`. It must belong to this user; the first
  ///     registration creates it. If others have access to it, the first write sets mode 0700, but
  ///     only if it contains only session files and a database. Otherwise it is refused.
  ///   - label: The label of sessions that begin here, for lists of sessions; nil for none.
  ///   - origin: Returns the origin of a session, for lists of sessions; read at each login.
  ///   - policy: The limits of sessions.
  ///   - busyWait: How long to wait for another process's lock.
  ///   - onlyReads: Whether reads write nothing at all, such as an event about the use of an ended
  ///     session: for what only shows who is logged in.
  ///   - clock: The machine's boot clock.
  public convenience init(
    directory: String, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil },
    policy: SessionPolicy = .standard, busyWait: Duration = .seconds(5), onlyReads: Bool = false,
    clock: any SessionClock = BootClock()
  ) {
    self.init(
      directory: directory, label: label, origin: origin, policy: policy, busyWait: busyWait, clock: clock,
      cost: .standard, onlyReads: onlyReads)
  }

  package init(
    directory: String, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil },
    policy: SessionPolicy = .standard, busyWait: Duration = .seconds(5), clock: any SessionClock = BootClock(),
    cost: PasswordCost, isShared: Bool = false, isServed: Bool = false, onlyReads: Bool = false,
    searchTime: Duration = .milliseconds(100), schema: Schema = .current,
    wallClock: @escaping @Sendable () -> WallTime = WallTime.now
  ) {
    database = SQLiteDatabase(
      directory: PrivateDirectory(named: directory), schema: schema, busyWait: busyWait, clock: clock,
      isServed: isServed,
      wallClock: wallClock)
    rules = Rules(
      database: database, policy: policy, cost: cost, isShared: isShared, onlyReads: onlyReads, searchTime: searchTime)
    self.label = label
    self.origin = origin
  }

  /// Performs an operation by the rule book, in this process.
  public func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output { try rules.perform(operation, on: input) }

  /// The machine's boot clock, which measures the limits of sessions.
  public var clock: any SessionClock { database.clock }

  /// The limits of its sessions.
  public var policy: SessionPolicy { rules.policy }

  /// Tokens name the database.
  public var issuer: TokenIssuer { .embedded }

  /// Nil: no service is between the program and the database file.
  public var connection: BackendConnection? { nil }

  /// The path of the database file.
  package var databasePath: String { database.path }

  /// Reports that the database may have changed.
  public func changes() throws(BackendError) -> any ChangeSource { try database.changes() }

  /// Keeps every other process out of the database until this one ends, as a service does.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`database_in_use`) when another process uses
  ///   it.
  package func holdAlone() throws(BackendError) { try database.holdAlone() }

  /// Ends what ``holdAlone()`` of a service began, so that the file has no log.
  package func endService() throws(BackendError) { try database.endService() }

  /// Brings the file to the present schema, and keeps every other process out of it from then on.
  ///
  /// - Returns: Whether there was anything to do.
  package func upgrade() throws(BackendError) -> Bool {
    let isOlder = try database.isOlder()
    try holdAlone()
    return isOlder
  }

  /// What is wrong with the file and its tables, which another process may not use meanwhile.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`database_older`) for an older schema, which
  ///   it does not change.
  package func check() throws(BackendError) -> [String] {
    if try database.isOlder() {
      throw .unavailable(.databaseOlder, databasePath.escaped, "older", "\(database.schema.version)")
    }
    try holdAlone()
    return try faults()
  }

  /// What is wrong with the file and its tables; nothing when all is well.
  package func faults() throws(BackendError) -> [String] { try database.faults() }

  /// Writes a copy of one state of the data to a new file; others wait meanwhile, unless a
  /// service holds the database.
  package func copy(to file: String) throws(BackendError) { try database.copy(to: file) }
}
