import AuthBackend
import AuthCore
import AuthLocal

/// What happened to the account; for an administrator, to all.
final class EventsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads a page, newest first.
  func page(
    of authority: LocalAuthority, since: WallTime?, before: Int64?, limit: Int
  ) throws(LeaseError<LocalFailure>) -> Page<Event> {
    let administrator = administrator
    let loaded = try session.withLease { (lease) throws(LocalFailure) in
      if let administrator {
        try authority.allEvents(
          since: since, before: before, limit: limit + 1, for: administrator, under: lease)
      } else {
        try authority.events(since: since, before: before, limit: limit + 1, under: lease)
      }
    }
    return Page(of: limit, from: loaded)
  }

  private var administrator: AdminSession? {
    do throws(RoleRefusal) { return try AdminSession(session) } catch { return nil }
  }
}
