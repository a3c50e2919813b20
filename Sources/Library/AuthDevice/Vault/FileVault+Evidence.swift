public import AuthCore
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Unusable session files, which are set aside beside the session file.
extension FileVault {
  /// The number of unusable session files that a context keeps.
  ///
  /// Only this user can create them, so the limit is against accidents and scripts, not attacks.
  private static let keptEvidence = 8

  /// Renames an unusable file to `NAME.session.corrupt-1`, or to the next free number.
  ///
  /// It keeps the newest eight and deletes older ones, except a directory that is not empty.
  ///
  /// - Returns: The new path, or nil if the file is usable or missing.
  public func setAside() async throws(VaultError) -> String? {
    guard case .corrupt = read() else { return nil }
    return try change { (directory, reading) throws(FileError) in
      guard case .corrupt = reading else { return nil }
      return try moveAside(in: directory)
    }
  }

  func moveAside(in directory: OpenDirectory) throws(FileError) -> String {
    let earlier = try evidenceNumbers(in: directory)
    for old in earlier.dropLast(Self.keptEvidence - 1).map(evidence) {
      let flags = try directory.facts(of: old)?.isDirectory == true ? AT_REMOVEDIR : 0
      // A directory that is not empty stays.
      if unlinkat(directory.descriptor, old, flags) != 0, errno != ENOENT, errno != ENOTEMPTY {
        throw .system(directory.file(old), "cannot be deleted", .current)
      }
    }
    let target = evidence((earlier.last ?? 0) + 1)
    guard let facts = try directory.facts(of: name),
      renameat(directory.descriptor, name, directory.descriptor, target) == 0
    else { throw .system(path, "cannot be set aside", .current) }
    // A file of another user keeps its mode, because no other user can enter the directory. A file
    // with more hard links keeps it too, because it may be in use under another name.
    if facts.isRegularFile, facts.isOwn, !facts.hasOtherNames { try directory.makePrivate(target) }
    try directory.synchronize()
    return directory.file(target)
  }

  /// The numbers of the files that were set aside, in ascending order.
  private func evidenceNumbers(in directory: OpenDirectory) throws(FileError) -> [Int] {
    let prefix = name + Self.evidenceSuffix
    // This class never uses other numbers, so they belong to a foreign file.
    return try directory.names { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
      .filter { (1..<Int.max).contains($0) }.sorted()
  }

  private func evidence(_ number: Int) -> String { "\(name)\(Self.evidenceSuffix)\(number)" }
}
