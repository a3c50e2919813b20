import AuthCore
import AuthLocal

extension Workspace {
  /// `watch`: a line for each change of this context's session and user, whichever process makes it. Watching is not activity.
  func watch(until end: WatchEnd?) async throws(Refusal) -> Answer {
    do throws(VaultFailure) { try vault.prepare() } catch { throw Refusal(error) }
    do throws(LocalFailure) { try authority.prepare() } catch { throw Refusal(error) }
    let database = authority.databasePath
    let databaseName = database.split(separator: "/").last.map(String.init) ?? database
    let sessionName = vault.path.split(separator: "/").last.map(String.init) ?? vault.path
    let directories = try watchedDirectories()
    let signal = try ChangeSignal(directories: directories) { name in
      name == sessionName || name.hasPrefix(databaseName)
    }
    var screen: WatchScreen?
    var lastObstacle: Refusal?
    var isFirst = true
    while true {
      let obstacle = await look()
      if let open = screen {
        let sights = open.takeSights()
        for sight in sights { try show(sight) }
        if sights.contains(where: \.isDismissal) { screen = nil }
      }
      if screen == nil, let opened = WatchScreen(store) {
        for sight in opened.takeSights() { try show(sight) }
        screen = opened
      }
      if let obstacle, obstacle != lastObstacle { try show(obstacle) }
      lastObstacle = obstacle
      if case .loggedOut(let reason) = store.state {
        if isFirst { try show(reason) }
        if end == .loggedOut { return Answer() }
      }
      isFirst = false
      try signal.wait(atMost: try timeUntilLimit())
    }
  }

  /// Looks at the vault and the authority again. What was learnt is in the store; returned is why nothing could be.
  private func look() async -> Refusal? {
    if store.session != nil {
      do throws(SessionFailure) {
        try await store.check()
        return nil
      } catch {
        if case .ended = error { return nil }
        return Refusal(error)
      }
    }
    if case .obstructed(let obstacle) = await store.restore() { return Refusal(obstacle) }
    return nil
  }

  private func watchedDirectories() throws(Refusal) -> [String] {
    let data = places.data
    return data == places.state ? [data] : [places.state, data]
  }

  /// How long nothing can change by itself: until the next limit. A machine that slept is noticed by looking up now and then.
  private func timeUntilLimit() throws(Refusal) -> Duration? {
    guard let earliest = store.session?.limits.earliest else { return nil }
    do throws(ClockFailure) {
      return min(.seconds(300), max(.milliseconds(1), earliest.uptime - (try clock.now()).uptime))
    } catch {
      throw Refusal(error)
    }
  }

  // MARK: Showing

  private func show(_ sight: WatchScreen.Sight) throws(Refusal) {
    switch sight {
    case .opened(let session):
      try line(
        "logged in as \(escaping: session.user.username) (\(escaping: session.user.displayName))",
        "logged_in", ["user": .user(session.user), "session": .string(session.id.rawValue)])
    case .changed(let session, let before):
      if session.user != before.user {
        try line(
          "the user is \(escaping: session.user.username) (\(escaping: session.user.displayName), \(session.user.role.rawValue)) now",
          "user_changed", ["user": .user(session.user), "session": .string(session.id.rawValue)])
      } else if session.limits.fresh != before.limits.fresh {
        try line(
          "the password was entered again", "reauthenticated",
          ["user": .user(session.user), "session": .string(session.id.rawValue)])
      }
    case .dismissed(let reason):
      try line("logged out: \(reason.sentence)", "logged_out", ["reason": .string(reason.code)])
    }
  }

  private func show(_ reason: LogoutReason) throws(Refusal) {
    switch reason {
    case .neverLoggedIn: try line("nobody is logged in", "logged_out", ["reason": nil])
    case .ended(let reason):
      try line("nobody is logged in: \(reason.sentence)", "logged_out", ["reason": .string(reason.code)])
    }
  }

  private func show(_ obstacle: Refusal) throws(Refusal) {
    try line(
      "cannot tell: \(obstacle.message)", "unavailable",
      ["code": .string(obstacle.code), "message": .string(obstacle.message)])
  }

  private func line(_ text: String, _ change: String, _ members: KeyValuePairs<String, JSON>) throws(Refusal) {
    let output = printer.streams.output
    let time = UTCTime(seconds: WallTime.now().seconds)
    if globals.json {
      let head: [JSON.Member] = [
        .init(name: "version", value: 1), .init(name: "at", value: .string(time.iso8601)),
        .init(name: "change", value: .string(change)),
      ]
      output.writeLine(JSON.object(head + members.map { JSON.Member(name: $0.key, value: $0.value) }).text)
    } else {
      output.writeLine("\(time.local)  \(text)")
    }
    do throws(OutputFailure) { try output.flush() } catch { throw Refusal(error) }
  }
}

extension WatchScreen.Sight {
  fileprivate var isDismissal: Bool {
    switch self {
    case .dismissed: true
    case .opened, .changed: false
    }
  }
}
