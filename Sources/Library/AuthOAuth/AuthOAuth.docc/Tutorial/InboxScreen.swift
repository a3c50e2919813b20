import AuthCore

final class InboxScreen: GuardedScreen, Sendable {
  let key: LiveKey

  init(session: LoggedInSession) { key = LiveKey(session) }
  func follow(_ session: LoggedInSession) { key.follow(session) }
  func dismiss(_ reason: EndReason) { key.dismiss(reason) }

  var title: String {
    if let reason = key.dismissal { return "Closed: \(reason)" }
    return "Messages of \(key.session.user.displayName)"
  }
}

extension Inbox {
  func open() -> InboxScreen? { store.open(InboxScreen.self) }
}
