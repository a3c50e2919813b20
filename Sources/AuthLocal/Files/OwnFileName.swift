import AuthBackend

/// The names of the files that this library makes, by which a directory of its own is told from one
/// with other things in it.
enum OwnFileName {
  static func isOwn(_ name: String) -> Bool { isOfDatabase(name) || isOfSession(name) }

  /// The database, its backups, also half made ones, and what SQLite keeps beside any of them.
  private static func isOfDatabase(_ name: String) -> Bool {
    guard let rest = name[...].after(Database.fileName) else { return false }
    let own = Database.sideFileSuffixes.compactMap { rest.before($0) }.first ?? rest
    if own.isEmpty { return true }
    guard let version = own.after(Migration.backupSuffix) else { return false }
    return isNumber(version.before(Migration.temporarySuffix) ?? version)
  }

  /// A session, its lock, its successor while that is written, and what was set aside of it.
  private static func isOfSession(_ name: String) -> Bool {
    let name = name[...]
    if let context = name.before(FileVault.lockSuffix) { return isContext(context) }
    if let context = name.before(FileVault.sessionSuffix) { return isContext(context) }
    if let file = name.after(DurableFile.temporaryPrefix)?.before(DurableFile.temporarySuffix) {
      return file.before(FileVault.sessionSuffix).map(isContext) ?? false
    }
    // From the end: a context may be named like evidence.
    guard let mark = name.lastIndex(of: "-"), isNumber(name[name.index(after: mark)...]),
      let context = name[...mark].before(FileVault.sessionSuffix + FileVault.evidenceSuffix)
    else { return false }
    return isContext(context)
  }

  private static func isContext(_ text: Substring) -> Bool {
    do throws(BackendError) {
      _ = try ContextName(String(text))
      return true
    } catch {
      return false
    }
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension Substring {
  /// What follows this beginning; nil without it.
  fileprivate func after(_ beginning: String) -> Substring? {
    hasPrefix(beginning) ? dropFirst(beginning.count) : nil
  }

  /// What precedes this end; nil without it.
  fileprivate func before(_ end: String) -> Substring? {
    hasSuffix(end) ? dropLast(end.count) : nil
  }
}
