import AuthBackend
import AuthCore
import AuthLocal
import CommandLineKit

extension Workspace {
  /// `watch`: a line for each change of this context's session and user, whichever process makes it.
  ///
  /// Watching is not activity.
  func watch(until end: WatchEnd?) async throws(Refusal) -> Answer {
    do throws(VaultFailure) { try vault.prepare() } catch { throw Refusal(error) }
    let sessionName = Self.fileName(vault.path)
    let databaseName = Self.fileName(authority.databasePath)
    let signal = try ChangeSignal()
    var log = WatchLog(globals: globals, output: printer.streams.output, store: store)
    var patience = Self.firstPatience
    while true {
      try listen(with: signal)
      var isFileGone = false
      let obstacle = await look(&isFileGone)
      try log.show(obstacle, isFileGone: isFileGone)
      if case .loggedOut = store.state, end == .loggedOut { return Answer(.onlyShows) }
      // Nobody tells when an obstacle goes away, so looking again is all there is, ever more rarely.
      let pause = obstacle == nil ? try timeUntilLimit() : patience
      patience = obstacle == nil ? Self.firstPatience : min(patience * 2, .seconds(60))
      // Without a session and without doubt, only a session file can change anything.
      let isSettled = store.session == nil && obstacle == nil
      try signal.wait(atMost: pause, for: printer.streams.output) { name, isOfAttributes in
        if name == sessionName { return true }
        // For root SQLite sets the owner of a journal whenever it looks into one, so that every look would be cause for another.
        return !isSettled && name.hasPrefix(databaseName) && (name == databaseName || !isOfAttributes)
      }
    }
  }

  /// Listens where the session file and the database are.
  ///
  /// There may be no database yet: an account comes before a session.
  private func listen(with signal: ChangeSignal) throws(Refusal) {
    guard try signal.listen(to: places.state) else {
      throw Refusal(
        .cannotTell, "watch_failed", "\(TextEscaping.escape(places.state)) is gone, so nothing can be watched in it",
        hint: "Watch again when it is back.")
    }
    try signal.listen(to: places.data)
  }

  /// Looks at the vault and the authority again.
  ///
  /// What was learnt is in the store; returned is why nothing could be. `isFileGone` becomes true where the session goes on without its
  /// file, which a logout never leaves behind: it ends the session first.
  private func look(_ isFileGone: inout Bool) async -> Refusal? {
    if let session = store.session {
      if case .absent = vault.look() {
        do throws(Refusal) {
          isFileGone = try await ask(session) { (lease) throws(LocalFailure) in
            try authority.standing(lease.token) != nil
          }
        } catch {
          return error
        }
      }
      do throws(SessionFailure) {
        try await store.check()
        return nil
      } catch {
        if case .ended = error { return nil }
        return Refusal(error)
      }
    }
    if case .obstructed(let obstacle) = await store.restore() { return Refusal(obstacle) }
    return nil
  }

  /// How long nothing can change by itself: until the next limit.
  ///
  /// A machine that slept is noticed by looking up now and then.
  private func timeUntilLimit() throws(Refusal) -> Duration? {
    guard let earliest = store.session?.limits.earliest else { return nil }
    do throws(ClockFailure) {
      return min(.seconds(300), max(.milliseconds(1), earliest.uptime - (try clock.now()).uptime))
    } catch {
      throw Refusal(error)
    }
  }

  private static var firstPatience: Duration { .seconds(1) }

  private static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
