import AuthCore

extension Inbox {
  func greeting() async -> String {
    switch await store.restore(within: .seconds(3)) {
    case .loggedIn(let session): "Welcome back, \(session.user.displayName)."
    case .loggedOut: "Please log in."
    case .obstructed(let cause): "Cannot tell yet: \(cause)"
    case .overtaken, .cancelled, .timedOut:
      store.state.lastKnownUser.map { "Hello, \($0.displayName)." } ?? "One moment."
    }
  }
}
