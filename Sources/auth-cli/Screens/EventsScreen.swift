import AuthCore
import AuthLocal

/// What happened to the account; for an administrator, to all.
final class EventsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads the newest events, the latest first.
  func events(
    at authority: LocalAuthority, since: WallTime?, limit: Int
  ) throws(LeaseError<LocalFailure>) -> Page<Event> {
    let administrator = administrator
    let newest = try session.withLease { (lease) throws(LocalFailure) in
      if let administrator {
        try authority.allEvents(since: since, limit: limit + 1, for: administrator, under: lease)
      } else {
        try authority.events(since: since, limit: limit + 1, under: lease)
      }
    }
    return Page(of: limit, from: newest)
  }

  private var administrator: AdminSession? {
    do throws(RoleRefusal) { return try AdminSession(session) } catch { return nil }
  }
}
