import AuthCore
import ConcurrencyKit

/// Records the notifications of a store, and may send commands from inside a call.
final class Listener: SessionObserver, Sendable {
  private let lines = Locked<[String]>([])
  private let onLoggedIn: @Sendable (LoggedInSession) -> Void
  private let onLoggedOut: @Sendable (LogoutReason) -> Void

  init(
    onLoggedIn: @escaping @Sendable (LoggedInSession) -> Void = { _ in },
    onLoggedOut: @escaping @Sendable (LogoutReason) -> Void = { _ in }
  ) {
    self.onLoggedIn = onLoggedIn
    self.onLoggedOut = onLoggedOut
  }

  var heard: [String] { lines.withLock { $0 } }

  func loggedIn(_ session: LoggedInSession) {
    lines.withLock { $0.append("in \(session.user.displayName)") }
    onLoggedIn(session)
  }

  func loggedOut(_ reason: LogoutReason) {
    lines.withLock { $0.append("out \(reason)") }
    onLoggedOut(reason)
  }
}
