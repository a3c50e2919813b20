import AuthCore
import Guards

/// What `watch` shows of a session: it follows the user, and is dismissed when the session ends,
/// with the reason.
final class WatchScreen: GuardedScreen, Sendable {
  /// What happened to the session, in order.
  enum Sight: Hashable, Sendable {
    case opened(LoggedInSession)
    case changed(LoggedInSession, from: LoggedInSession)
    case dismissed(EndReason)
  }

  private struct Storage {
    var session: LoggedInSession
    var sights: [Sight]
  }

  private let storage: Locked<Storage>

  init(session: LoggedInSession) {
    storage = Locked(Storage(session: session, sights: [.opened(session)]))
  }

  func follow(_ session: LoggedInSession) {
    storage.withLock { storage in
      storage.sights.append(.changed(session, from: storage.session))
      storage.session = session
    }
  }

  func dismiss(_ reason: EndReason) {
    storage.withLock { $0.sights.append(.dismissed(reason)) }
  }

  /// Hands out what was not seen yet.
  func takeSights() -> [Sight] {
    storage.withLock { storage in
      defer { storage.sights = [] }
      return storage.sights
    }
  }
}
