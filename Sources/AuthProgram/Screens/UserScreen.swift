import AuthBackend
import AuthCore

/// A guarded screen of this program: it has a key, and always the newest.
protocol LiveScreen: GuardedScreen, Sendable {
  var key: LiveKey { get }
}

extension LiveScreen {
  /// The key of now.
  var session: LoggedInSession { key.session }

  func follow(_ session: LoggedInSession) { key.follow(session) }

  func dismiss(_ reason: EndReason) { key.dismiss(reason) }
}

/// A screen of the user that remembers nothing: the profile, the sessions, the events.
final class UserScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads a page of what happened to the account, newest first; for an administrator, to all.
  func events(
    at backend: any Backend, within times: TimeSpan = .all, matching text: String, before: Int64?, limit: Int,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> Page<Event> {
    let loaded: [Event]
    if let administrator = try? AdminSession(session) {
      loaded = try backend.allEvents(
        within: times, matching: text, before: before, limit: limit + 1, for: administrator, under: lease)
    } else {
      loaded = try backend.events(within: times, matching: text, before: before, limit: limit + 1, under: lease)
    }
    return Page(of: limit, from: loaded)
  }
}

extension Backend {
  /// The active sessions of the user but this one.
  func otherSessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    try sessions(under: lease).filter { !$0.isCurrent }
  }
}

extension SessionSummary {
  /// So many other sessions, in words.
  static func others(_ count: Int) -> String {
    count == 1 ? "your other session" : "your \(count) other sessions"
  }
}
