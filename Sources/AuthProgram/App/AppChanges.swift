import AuthBackend
import AuthLocal
import Glibc

/// Waits, on a thread of its own, for changes that another process may have made to the session or
/// the accounts.
///
/// Where they are told of by a server, listening may take as long as the server lets it.
struct AppChanges {
  private let sessionFile: any ChangeSource
  private let database: any ChangeSource

  /// Begins to wait; that ends with the process.
  ///
  /// - Parameters:
  ///   - vault: Keeps the session file.
  ///   - backend: Has the accounts.
  ///   - hasSession: Without a session only a session file can change what the screen shows.
  ///   - look: Called at first, when changes from then on are told, and after each change.
  ///   - fail: Called when changes cannot be told for now; then `look` is called now and then.
  static func wait(
    in vault: FileVault, _ backend: any Backend, hasSession: @escaping @Sendable () -> Bool,
    look: @escaping @Sendable () -> Void, fail: @escaping @Sendable (AppProblem) -> Void
  ) {
    OwnThread.start {
      while true {
        do throws(BackendError) {
          let changes = AppChanges(sessionFile: try vault.changes(), database: try backend.changes())
          try changes.listen()
          while true {
            look()
            repeat {} while try !changes.happen(hasSession: hasSession())
          }
        } catch {
          fail(AppProblem(CommandError(error)))
          look()
          poll(nil, 0, 5_000)
        }
      }
    }
  }

  /// Waits, and returns whether it is time to look.
  private func happen(hasSession: Bool) throws(BackendError) -> Bool {
    var events = [sessionFile.descriptor, database.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let longest = [sessionFile.longestWait, database.longestWait].compactMap(\.self).min()
    let limit = longest.map { Int32(clamping: $0.components.seconds * 1000) } ?? -1
    let isTime = poll(&events, nfds_t(events.count), limit) == 0
    let isFileChanged = try sessionFile.drain()
    let isDatabaseChanged = try database.drain()
    try listen()
    return isTime || isFileChanged || isDatabaseChanged && hasSession
  }

  /// A directory may come into being, or be another one at the same path; a connection may be lost.
  private func listen() throws(BackendError) {
    _ = try sessionFile.listen()
    _ = try database.listen()
  }
}
