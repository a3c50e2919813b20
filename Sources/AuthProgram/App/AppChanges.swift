import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite
import Glibc

/// Waits for changes that another process may have made to the session or the accounts.
///
/// Where they are told of by a server, listening may take as long as the server lets it.
struct AppChanges {
  private let sessionFile: any ChangeSource
  private let database: any ChangeSource

  /// Waits for as long as the process lives.
  ///
  /// - Parameters:
  ///   - vault: Keeps the session file.
  ///   - backend: Has the accounts.
  ///   - store: Without a session only a session file can change what the screen shows.
  ///   - look: Called at first, when changes from then on are told, and after each change. Where
  ///     changes cannot be told for now it is called now and then, with the reason.
  static func follow(
    in vault: FileVault, _ backend: any Backend, _ store: SessionStore, look: (CommandError?) -> Void
  ) {
    while true {
      do throws(BackendError) {
        let changes = AppChanges(sessionFile: try vault.changes(), database: try backend.changes())
        try changes.listen()
        while true {
          look(nil)
          repeat {} while try !changes.happen(hasSession: store.session != nil)
        }
      } catch {
        look(CommandError(error))
        poll(nil, 0, 5_000)
      }
    }
  }

  /// Waits, and returns whether it is time to look.
  private func happen(hasSession: Bool) throws(BackendError) -> Bool {
    var events = [
      pollfd(fd: sessionFile.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: database.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    // Where there is no limit, it looks once a day.
    let longest = min(sessionFile.longestWait ?? .seconds(86_400), database.longestWait ?? .seconds(86_400))
    let isTime = poll(&events, 2, Int32(clamping: longest.components.seconds * 1000)) == 0
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
