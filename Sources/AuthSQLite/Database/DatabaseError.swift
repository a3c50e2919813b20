import AuthBackend
import AuthCore
import AuthDevice
import CSQLite
import Glibc
import TextFormat

/// What SQLite's result codes mean for a person, each with what to do.
///
/// Source: sqlite.org/rescode.html.
enum DatabaseError {
  static func failure(code: Int32, systemError: ErrorNumber, detail: String, path: String) -> BackendError {
    let name = path.escaped
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return .unavailable(
        .busy, "database_busy", "\(name) is in use by another process, which did not finish in time.",
        hint: "Try again; nothing was changed.")
    // `SQLITE_ERROR`: a table or a column that our statements need is missing.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR:
      return damaged(path, detail)
    case SQLITE_FULL:
      return full(name, "no space left")
    case SQLITE_IOERR where systemError.isNoSpace:
      return full(name, systemError.explanation)
    case SQLITE_READONLY:
      return .unavailable(
        .unwritable, "database_read_only", "\(name) cannot be written: \(detail).",
        hint: "Make the file and its directory writable for this user; nothing was changed.")
    case SQLITE_CANTOPEN where systemError.code == EACCES:
      return FileError.system(path, "or its journal cannot be opened", systemError).asLocalFailure
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      let reason = systemError.code == 0 ? detail : systemError.explanation
      return .unavailable(
        .unreachable, "database_cannot_open", "\(name) or its journal cannot be opened: \(reason).",
        hint: systemError.isOfDescriptors
          ? ErrorNumber.moreDescriptors : "Check owner and permissions of the file and its directory.")
    case SQLITE_CONSTRAINT:
      return .unavailable(
        .unreadable, "database_inconsistent", "\(name) refused a change that its rules forbid: \(detail).",
        hint: "Nothing was changed; keep the file and report this.")
    case _:
      let reason = systemError.code == 0 ? detail : "\(detail): \(systemError.explanation)"
      return .unavailable(
        .unreadable, "database_error", "\(name): \(reason).",
        hint: "Nothing was changed. Check the disk, then try again.")
    }
  }

  static func damaged(_ path: String, _ detail: String) -> BackendError {
    .unavailable(
      .unreadable, "database_corrupt", "\(path.escaped) is damaged or not a database: \(detail).",
      hint: "Nothing was changed. Keep it as evidence and put a backup in its place.")
  }

  /// Another process has the file open that this one wants for itself.
  static func inUse(_ path: String) -> BackendError {
    .unavailable(
      .busy, "database_in_use", "\(path.escaped) is in use by another process.",
      hint: "Stop the service and every auth-cli that uses the file; nothing was changed.")
  }

  /// There is no file, or one that nothing was ever committed to.
  static func missing(_ path: String, isEmpty: Bool = false) -> BackendError {
    .unavailable(
      .unreachable, "database_missing",
      "There are no accounts yet: \(path.escaped) \(isEmpty ? "is empty" : "does not exist").",
      hint: "Register the first account, or put a backup in its place.")
  }

  static func foreign(_ path: String) -> BackendError {
    .unavailable(
      .unreadable, "database_foreign", "\(path.escaped) is the database of another program.",
      hint: "Nothing was changed. Choose another directory, or move the file away.")
  }

  static func newer(_ path: String, found: Int64, known: Int64) -> BackendError {
    .unavailable(
      .unparsable, "database_newer",
      "\(path.escaped) has schema \(found), made by a newer version; this one knows up to \(known).",
      hint: "Nothing was changed. Install the newer version.")
  }

  /// A commit failed at its last step, so the change may have been stored.
  static func outcomeUnknown(_ failure: BackendError) -> BackendError {
    let cause = failure.description.last == "." ? String(failure.description.dropLast()) : failure.description
    return .unavailable(
      .unwritable, "outcome_unknown", "\(cause); the change may have been stored all the same.",
      hint: "Look whether it was made before you make it again; a payment with an idempotency key is never made twice.")
  }

  private static func full(_ name: String, _ reason: String) -> BackendError {
    .unavailable(
      .unwritable, "disk_full", "\(name) cannot grow: \(reason).", hint: "Make room; nothing was changed.")
  }
}

extension FileError {
  var asLocalFailure: BackendError { .unavailable(cause, code, description, hint: hint) }
}
