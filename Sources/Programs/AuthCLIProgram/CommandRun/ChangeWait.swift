import AuthAccounts
import AuthDevice
import AuthSQLite
import CommandLineKit
import Glibc
import TextFormat

/// Waits for changes that another process may have made to the session or the accounts.
///
/// If a server reports the changes, the start may wait for the server.
struct ChangeWait {
  private let sessionFile: DirectoryChanges
  /// Nil at an identity provider, which reports no changes.
  private let database: (any ChangeSource)?

  /// Creates a wait that does not follow changes yet.
  init(_ vault: FileVault, _ backend: (any Backend)?) throws(BackendError) {
    sessionFile = try vault.changes()
    database = try backend?.changes()
  }

  /// Starts to listen, or starts again: a directory may be created or replaced, a connection may be
  /// lost, and there may be no database yet.
  ///
  /// - Returns: Whether there is a directory of session files to listen to.
  @discardableResult
  func listen() throws(BackendError) -> Bool {
    let isListening = try sessionFile.listen()
    _ = try database?.listen()
    return isListening
  }

  /// Whether the directory of session files is there now.
  var hasDirectory: Bool { sessionFile.isThere }

  /// Waits until the session file or the database may have changed.
  ///
  /// - Parameters:
  ///   - limit: The longest wait; nil waits for as long as nothing changes.
  ///   - forDatabase: Whether a change of the database ends the wait.
  ///   - output: The stream of the printed changes; the process ends when nobody reads it any more.
  /// - Returns: Whether only the database changed.
  /// - Throws: ``BackendError`` when one of the two can report no more changes.
  @discardableResult
  func wait(
    atMost limit: Duration?, forDatabase: Bool = true, readOn output: OutputStream? = nil
  ) throws(BackendError) -> Bool {
    let database = forDatabase ? database : nil
    let sources: [any ChangeSource] = [sessionFile] + [database].compactMap(\.self)
    let limit = (sources.map(\.longestWait) + [limit]).compactMap(\.self).min()
    let deadline = limit.map { SuspendingClock.now + $0 }
    var polled = [pollfd(fd: output?.descriptor ?? -1, events: 0, revents: 0)]
    for source in sources { polled.append(pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)) }
    while true {
      let count = poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
      if count == 0 { return false }
      if count < 0 {
        if errno == EINTR { continue }
        throw .unavailable(.watchFailed, "changes", ErrorNumber(errno).explanation)
      }
      if let output, polled[0].revents != 0 {
        if Int32(polled[0].revents) & POLLERR != 0, !output.isTerminal { output.dieOfPipeSignal() }
        // The output is closed or its terminal is gone: the next printed line reports it.
        polled[0].fd = -1
      }
      let isFileChanged = polled[1].revents != 0 ? try sessionFile.drain() : false
      let isDatabaseChanged = if let database, polled[2].revents != 0 { try database.drain() } else { false }
      if isFileChanged || isDatabaseChanged { return !isFileChanged }
    }
  }
}

extension FileVault {
  /// Reports that the session file may have changed.
  ///
  /// - Throws: `BackendError` of kind `unavailable` when the kernel has no room for another source.
  fileprivate func changes() throws(BackendError) -> DirectoryChanges {
    let name = name
    return try DirectoryChanges(directory.path) { file, _ in file == name }
  }
}
