import AuthAccounts
import AuthDevice
import CSQLite
import Glibc
import TextFormat

extension BackendError {
  /// What a result code of SQLite means for a person.
  ///
  /// Source: sqlite.org/rescode.html.
  init(sqlite code: Int32, systemError: ErrorNumber, detail: String, path: String) {
    let name = path.escaped
    let reason = systemError.code == 0 ? detail : systemError.explanation
    switch code & 0xFF {
    // SQLite says of a file system without locks that it is busy.
    case SQLITE_BUSY where systemError.code == ENOLCK,
      SQLITE_IOERR where [EOPNOTSUPP, ENOSYS].contains(systemError.code):
      self.init(FileError.system(path, "cannot be locked", systemError))
    case SQLITE_READONLY where access(path, W_OK) != 0 && errno == EROFS,
      SQLITE_CANTOPEN where systemError.code == EROFS:
      self.init(FileError.system(path, "cannot be written", ErrorNumber(EROFS)))
    case SQLITE_BUSY, SQLITE_LOCKED:
      self = .unavailable(.databaseBusy, name, "another process did not finish in time")
    // `SQLITE_ERROR`: a table or a column that our statements need is missing.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR:
      self = .unavailable(.databaseCorrupt, name, detail)
    case SQLITE_FULL:
      self = Self.full(name, "no space left")
    case SQLITE_IOERR where systemError.isNoSpace:
      self = Self.full(name, reason)
    // Moved away after it was checked.
    case SQLITE_IOERR where systemError.code == ENOENT, SQLITE_CANTOPEN where systemError.code == ENOENT:
      self = .unavailable(.databaseMissing, name, "does not exist")
    case SQLITE_READONLY:
      self = .unavailable(.databaseReadOnly, name, detail)
    case SQLITE_CANTOPEN where systemError.code == EACCES || systemError.isOfDescriptors:
      self.init(FileError.system(path, "or its journal cannot be opened", systemError))
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      self = .unavailable(.databaseCannotOpen, name, reason)
    case SQLITE_CONSTRAINT:
      self = .unavailable(.databaseInconsistent, name, detail)
    case _:
      self = .unavailable(.databaseError, name, systemError.code == 0 ? detail : "\(detail): \(reason)")
    }
  }

  private static func full(_ name: String, _ reason: String) -> BackendError {
    BackendError(FileError(.noSpace, "\(name) cannot grow: \(reason).", hint: "Make room; nothing was changed."))
  }
}
