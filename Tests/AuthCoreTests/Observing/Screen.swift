import AuthCore
import Guards

/// A guarded screen that records its notifications.
final class Screen: GuardedScreen, Sendable {
  private let lines = Locked<[String]>([])
  private let first: LoggedInSession

  init(session: LoggedInSession) {
    first = session
  }

  var session: LoggedInSession { first }
  var told: [String] { lines.withLock { $0 } }

  func follow(_ session: LoggedInSession) {
    lines.withLock { $0.append("follow \(session.user.displayName)") }
  }

  func dismiss(_ reason: EndReason) {
    lines.withLock { $0.append("dismiss \(reason.code)") }
  }
}
