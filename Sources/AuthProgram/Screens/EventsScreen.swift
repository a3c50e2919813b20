import AuthBackend
import AuthCore

/// What happened to the account; for an administrator, to all.
final class EventsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads a page, newest first.
  func page(
    of backend: any Backend, within times: TimeSpan = .all, matching text: String, before: Int64?, limit: Int
  ) throws(LeaseError<BackendError>) -> Page<Event> {
    let administrator = administrator
    let loaded = try session.withLease { (lease) throws(BackendError) in
      if let administrator {
        try backend.allEvents(
          within: times, matching: text, before: before, limit: limit + 1, for: administrator, under: lease)
      } else {
        try backend.events(within: times, matching: text, before: before, limit: limit + 1, under: lease)
      }
    }
    return Page(of: limit, from: loaded)
  }

  private var administrator: AdminSession? {
    do throws(RoleError) { return try AdminSession(session) } catch { return nil }
  }
}
