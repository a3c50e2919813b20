package import AuthCore
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// The settings of an identity provider: a file beside the session file, which a logout keeps.
extension FileVault {
  private static let longestSettings = 65_536
  private var providerName: String { "\(context)\(Self.providerSuffix)" }
  /// The path of the settings.
  package var providerPath: String { directory.file(providerName) }

  /// Reads the settings of the context; nil if it has none.
  ///
  /// - Throws: `VaultError` if the file cannot be read, or others can change it.
  package func providerSettings() throws(VaultError) -> [UInt8]? {
    // The session file reports a directory that cannot be used.
    guard case .some(.some) = try? directory.look(for: providerName) else { return nil }
    let descriptor = open(providerPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(providerPath, "cannot be opened", .current)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(providerPath, "cannot be examined", .current) }
    try FileFacts(path: providerPath, status: status).require(.file)
    var content = [UInt8](repeating: 0, count: min(Int(status.st_size), Self.longestSettings))
    let count = read(descriptor, &content, content.count)
    guard count >= 0 else { throw .system(providerPath, "cannot be read", .current) }
    return Array(content.prefix(count))
  }

  /// Saves the settings of the context durably, or deletes them if they are nil.
  package func saveProviderSettings(_ content: [UInt8]?) throws(VaultError) {
    try directory.create()
    try VaultLock.hold(directory.file("\(context)\(Self.lockSuffix)"), wait: lockWait) { () throws(FileError) in
      if let content { return try DurableFile.replace(providerName, in: directory, with: content) }
      if unlink(providerPath) != 0, errno != ENOENT { throw .system(providerPath, "cannot be removed", .current) }
      try directory.synchronize()
    }
  }
}
