public import AuthBackend
public import AuthDevice

extension SQLiteDatabase {
  /// Reports that the database may have changed.
  func changes() throws(BackendError) -> any ChangeSource {
    try DirectoryChanges(directory.path) { file, isOnlyAttributes in
      // As root, SQLite sets the owner of a journal at every read, so every read would cause the
      // next one.
      let database = DatabaseFileName.file
      return file == database || file.hasPrefix(database) && !isOnlyAttributes
    }
  }
}

extension FileVault {
  /// Reports that the session file may have changed.
  ///
  /// - Throws: `BackendError` of kind `unavailable` when the kernel has no room for another source.
  public func changes() throws(BackendError) -> any ChangeSource {
    let name = name
    return try DirectoryChanges(directory.path) { file, _ in file == name }
  }
}
