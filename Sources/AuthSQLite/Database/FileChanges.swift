public import AuthBackend
import AuthCore
public import AuthDevice

/// Changes of files as a source for screens that follow a session live.
private final class FileChanges: ChangeSource {
  private let changes: DirectoryChanges

  init(_ make: () throws(Unavailability) -> DirectoryChanges) throws(BackendError) {
    do throws(Unavailability) {
      changes = try make()
    } catch {
      throw BackendError(error)
    }
  }

  var descriptor: Int32 { changes.descriptor }
  var longestWait: Duration? { nil }

  func listen() throws(BackendError) -> Bool {
    do throws(Unavailability) {
      return try changes.listen()
    } catch {
      throw BackendError(error)
    }
  }

  func drain() throws(BackendError) -> Bool {
    do throws(Unavailability) {
      return try changes.drain()
    } catch {
      throw BackendError(error)
    }
  }
}

extension SQLiteDatabase {
  /// Reports that the database may have changed.
  func changes() throws(BackendError) -> any ChangeSource {
    try FileChanges { () throws(Unavailability) in
      try DirectoryChanges(directory.path) { file, isOnlyAttributes in
        // As root, SQLite sets the owner of a journal at every read, so every read would cause the
        // next one.
        let database = DatabaseFileName.file
        return file == database || file.hasPrefix(database) && !isOnlyAttributes
      }
    }
  }
}

extension FileVault {
  /// Reports that the session file may have changed.
  ///
  /// - Throws: `BackendError` of kind `unavailable` when the kernel has no room for another source.
  public func changes() throws(BackendError) -> any ChangeSource {
    try FileChanges { () throws(Unavailability) in try fileChanges() }
  }
}
