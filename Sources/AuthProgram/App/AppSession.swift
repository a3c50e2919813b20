import AuthCore

/// What the full-screen program shows of the session itself: it is told why the session ended,
/// whatever tab is open.
final class AppSession: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }
}
