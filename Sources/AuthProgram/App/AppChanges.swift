import AuthBackend

/// Tells that another process may have changed the session or the accounts.
struct AppChanges {
  private let sessionFile: any ChangeSource
  private let database: any ChangeSource

  /// Listens to the session file and the backend.
  init(sessionFile: any ChangeSource, database: any ChangeSource) throws(CommandError) {
    self.sessionFile = sessionFile
    self.database = database
    try listen()
  }

  /// Readable when there may be something to take.
  var descriptors: [Int32] { [sessionFile.descriptor, database.descriptor] }

  /// The longest time to wait before a look that nobody asked for; nil waits for as long as nothing
  /// changes.
  var longestWait: Duration? { [sessionFile.longestWait, database.longestWait].compactMap(\.self).min() }

  /// Takes what changed since the last time.
  ///
  /// Without a session only a session file can change what the screen shows.
  func take(hasSession: Bool) throws(CommandError) -> Bool {
    do throws(BackendError) {
      let isFileChanged = try sessionFile.drain()
      let isDatabaseChanged = try database.drain()
      try listenAgain()
      return isFileChanged || isDatabaseChanged && hasSession
    } catch {
      throw CommandError(error)
    }
  }

  private func listen() throws(CommandError) {
    do throws(BackendError) { try listenAgain() } catch { throw CommandError(error) }
  }

  /// A directory may come into being, or be another one at the same path.
  private func listenAgain() throws(BackendError) {
    _ = try sessionFile.listen()
    _ = try database.listen()
  }
}
