import AuthCore
import ConcurrencyKit
import Testing

/// A guarded screen that records its notifications.
final class Screen: GuardedScreen, Sendable {
  private let lines = Locked<[String]>([])
  /// The key that it was created from.
  let session: LoggedInSession

  init(session: LoggedInSession) {
    self.session = session
  }

  var told: [String] { lines.withLock { $0 } }

  func follow(_ session: LoggedInSession) {
    lines.withLock { $0.append("follow \(session.user.displayName)") }
  }

  func dismiss(_ reason: EndReason) {
    lines.withLock { $0.append("dismiss \(reason.code)") }
  }
}

/// An observer of the main actor, as an app's view model, that records its notifications.
@MainActor final class MainModel: @MainActor SessionObserver {
  private(set) var told: [String] = []
  var onLoggedIn: () -> Void = {}

  func loggedIn(_ session: LoggedInSession) {
    told.append("in \(session.user.displayName)")
    onLoggedIn()
  }

  func loggedOut(_ reason: LogoutReason) { told.append("out") }
}

/// A guarded screen of the main actor, as an app's view controller, that records its notifications.
@MainActor final class MainScreen: @MainActor GuardedScreen {
  private(set) var told: [String] = []

  init(session: LoggedInSession) {}

  func follow(_ session: LoggedInSession) { told.append("follow \(session.user.displayName)") }

  func dismiss(_ reason: EndReason) { told.append("dismiss \(reason.code)") }
}

/// A screen of any thread and one of the main actor, open in the same session.
struct BothScreens {
  let screen: Screen
  private let controller: MainScreen

  /// Opens the screens; fails if nobody is logged in.
  init(_ store: SessionStore) async throws {
    screen = try #require(store.open(Screen.self))
    controller = try #require(await MainActor.run { store.open(MainScreen.self) })
  }

  func openAgain(with session: LoggedInSession, in store: SessionStore) async {
    store.open(screen, with: session)
    await MainActor.run { store.open(controller, with: session) }
  }

  /// Checks what both screens were told.
  func expect(_ told: [String]) async {
    #expect(screen.told == told)
    // Until the main actor is free, its screen may not have been told.
    #expect(await controller.told == told)
  }
}
