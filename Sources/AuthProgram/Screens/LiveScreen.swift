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
