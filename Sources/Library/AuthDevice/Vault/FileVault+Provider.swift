package import AuthCore

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
    // Most contexts have no settings: one system call is enough to find that out.
    guard (try? FileFacts(of: providerPath)) != nil else { return nil }
    // The session file reports a directory that cannot be used.
    guard case .some(.some(let directory)) = try? directory.opened(),
      case .some(.some) = try? directory.find(providerName)
    else { return nil }
    return try directory.read(providerName, atMost: Self.longestSettings)
  }

  /// Saves the settings of the context durably, or deletes them if they are nil.
  ///
  /// With `known`, it changes nothing if another process has saved other settings meanwhile.
  package func saveProviderSettings(_ content: [UInt8]?, insteadOf known: [UInt8]? = nil) throws(VaultError) {
    let directory = try directory.create()
    try VaultLock.hold(lockName, in: directory, wait: lockWait) { () throws(FileError) in
      if let known, try directory.read(providerName, atMost: Self.longestSettings) != known { return }
      if let content { return try directory.replace(providerName, with: content) }
      try directory.remove(providerName)
      try directory.synchronize()
    }
  }
}
