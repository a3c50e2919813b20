import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules
import Glibc
import TextFormat

/// Creates and upgrades the schema.
struct Migration {
  enum Facts: String, Query {
    case applicationID = "PRAGMA application_id"
    case version = "PRAGMA user_version"
    case objects = "SELECT count(*) FROM sqlite_schema"
  }

  /// The state of a database file.
  enum Phase {
    case current
    case older(Int64)
    /// Nothing was ever committed to it: the process that created it was interrupted.
    case unborn
  }

  let connection: SQLiteConnection
  private var schema: Schema { connection.schema }

  /// Reads the state of the file, in a transaction of the caller.
  func phase() throws(BackendError) -> Phase {
    let version = try fact(.version)
    let application = try fact(.applicationID)
    if application == Schema.applicationID {
      if version == schema.version { return .current }
      if version > schema.version {
        throw .unavailable(.databaseNewer, connection.path.escaped, "\(version)", "\(schema.version)")
      }
      if version > 0 { return .older(version) }
    } else if application == 0, version == 0, try fact(.objects) == 0 {
      return .unborn
    }
    throw .unavailable(.databaseForeign, connection.path.escaped)
  }

  /// Creates the schema in an empty file, or upgrades an older file, in one transaction.
  ///
  /// An older file is first copied to `authority.db.backup-v1` (or whatever its version is) while
  /// the write lock is held, so that the copy is exactly what the migration started from.
  func run(creating: Bool) throws(BackendError) {
    try connection.setUpForWriting()
    try connection.execute("BEGIN IMMEDIATE")
    do throws(BackendError) {
      switch try phase() {
      case .current: break
      case .unborn:
        guard creating else { throw .unavailable(.databaseMissing, connection.path.escaped, "is empty") }
        try apply(from: 0)
      case .older(let version):
        try backUp(version: version)
        try apply(from: version)
      }
      try connection.execute("COMMIT")
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private func apply(from version: Int64) throws(BackendError) {
    for step in schema.steps(from: version) { try connection.execute(step) }
    try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(schema.version)")
  }

  /// A second connection copies: readers are admitted while a write lock is held and nothing is
  /// written yet.
  private func backUp(version: Int64) throws(BackendError) {
    let directory = connection.directory
    let target = DatabaseFileName.file + DatabaseFileName.backupSuffix + "\(version)"
    let temporary = target + DatabaseFileName.temporarySuffix
    do throws(FileError) {
      try directory.remove(temporary)
      try directory.create(temporary)
    } catch {
      throw BackendError(error)
    }
    try connection.another(wait: .seconds(1)).copy(to: DirectoryVFS.path(of: temporary, in: directory))
    do throws(FileError) { try directory.rename(temporary, to: target) } catch { throw BackendError(error) }
  }

  private func fact(_ query: Facts) throws(BackendError) -> Int64 {
    try connection.first(query) ?? 0
  }
}
