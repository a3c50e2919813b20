/// Recognizes the names of the files that this library creates.
///
/// A directory that contains any other name does not belong to the library.
enum OwnFileName {
  static func isOwn(_ name: String) -> Bool { isOfDatabase(name) || isOfSession(name) }

  /// The database, its backups (even unfinished ones), and the side files of SQLite for each.
  private static func isOfDatabase(_ name: String) -> Bool {
    guard let rest = name[...].after(DatabaseFileName.file) else { return false }
    let own = DatabaseFileName.sideFileSuffixes.compactMap { rest.before($0) }.first ?? rest
    if own.isEmpty { return true }
    guard let version = own.after(DatabaseFileName.backupSuffix) else { return false }
    return isNumber(version.before(DatabaseFileName.temporarySuffix) ?? version)
  }

  /// The files of a context: its session, lock, provider and exchange, their temporary files, and
  /// unusable sessions that were set aside.
  private static func isOfSession(_ name: String) -> Bool {
    let (session, provider) = (FileVault.sessionSuffix, FileVault.providerSuffix)
    let suffixes = [session, FileVault.lockSuffix, provider, FileVault.exchangeSuffix, FileVault.answerSuffix]
    let temporary = [session, provider].map { $0 + DurableFile.temporarySuffix } + [session + FileVault.reservedSuffix]
    let context =
      suffixes.compactMap { name[...].before($0) }.first
      ?? temporary.compactMap { name[...].after(DurableFile.temporaryPrefix)?.before($0) }.first
      ?? contextOfEvidence(name[...])
    return context.map { ContextName(String($0)) != nil } ?? false
  }

  private static func contextOfEvidence(_ name: Substring) -> Substring? {
    // Search from the end, because the name of a context may look like evidence.
    guard let mark = name.lastIndex(of: "-"), isNumber(name[name.index(after: mark)...]) else { return nil }
    return name[...mark].before(FileVault.sessionSuffix + FileVault.evidenceSuffix)
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

/// The names of the embedded database's files, which can be in the same directory as session files.
package enum DatabaseFileName {
  /// The database.
  package static let file = "authority.db"
  /// The suffixes of the side files that SQLite may read or write.
  package static let sideFileSuffixes = ["-journal", "-wal", "-shm"]
  /// The suffix of a backup: after the name of the database file, before the version number.
  package static let backupSuffix = ".backup-v"
  /// The suffix of an unfinished backup, after its name.
  package static let temporarySuffix = ".new"
}

extension Substring {
  /// The rest after this prefix; nil without the prefix.
  fileprivate func after(_ beginning: String) -> Substring? {
    hasPrefix(beginning) ? dropFirst(beginning.count) : nil
  }

  /// The part before this suffix; nil without the suffix.
  fileprivate func before(_ end: String) -> Substring? {
    hasSuffix(end) ? dropLast(end.count) : nil
  }
}
