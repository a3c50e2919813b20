import AuthCoreTesting
import Guards
import Races
import Testing

@testable import AuthCore

@Suite("Screens follow the user")
struct ScreenTests {
  @Test("a guarded screen is nil when nobody is logged in, and opens with a key otherwise")
  func opens() async throws {
    let world = World()
    #expect(world.store.open(Screen.self) == nil)
    let key = try await world.store.loggedIn(World.alice)
    let screen = try #require(world.store.open(Screen.self))
    #expect(screen.session == key)
    #expect(screen.told == [])
  }

  /// The ways to find out that a session has ended.
  enum Discovery: CaseIterable { case check, renewal, password, report, logout }

  @Test(
    "screens are dismissed when the keys die, before the result and before the cleanup",
    arguments: Discovery.allCases)
  func dismissedBeforeCleanup(discovery: Discovery) async throws {
    let (world, key) = try await World.withAlice()
    let screen = try #require(world.store.open(Screen.self))
    let controller = try #require(await Task { @MainActor in world.store.open(MainScreen.self) }.value)
    let token = try #require(world.authority.liveTokens.first)
    if discovery != .logout { world.authority.end(token, .revoked) }
    world.vault.hold(.erase)
    let ended = SessionError.ended(.revoked)
    switch discovery {
    case .check: await #expect(throws: ended) { try await world.store.check() }
    case .renewal: await #expect(throws: ended) { try await world.store.renew() }
    case .password:
      await #expect(throws: ended) { try await world.store.reauthenticated(password: World.alice.password) }
    case .report: world.store.reportEnded(key, because: .revoked)
    case .logout: world.store.beginLogOut()
    }
    let dismissal = discovery == .logout ? "dismiss user_asked" : "dismiss revoked"
    #expect(screen.told == [dismissal])
    if discovery == .report || discovery == .logout { await Task { @MainActor in }.value }
    #expect(await controller.told == [dismissal])
    #expect(world.store.state == .loggingOut)
    world.vault.release(.erase)
  }

  @Test("a changed name reaches open screens with a new key, and the old key is a snapshot")
  func changedUser() async throws {
    let (world, old) = try await World.withAlice()
    let screen = try #require(world.store.open(Screen.self))
    world.authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.", role: .administrator)
    let new = try await world.store.check()
    #expect(screen.told == ["follow Alice B."])
    #expect(old.user.displayName == "alice")
    #expect(old.isLive)
    #expect(new.user.displayName == "Alice B.")
  }

  @Test("a screen that two threads open simultaneously is dismissed once")
  func openedTwiceAtOnce() async throws {
    let (world, key) = try await World.withAlice()
    let screens = (0..<400).map { _ in Screen(session: key) }
    _ = TwoThreads.race(rounds: screens.count) { round in
      world.store.open(screens[round], with: key)
      return true
    }
    _ = try await world.store.logOut()
    #expect(screens.filter { $0.told != ["dismiss user_asked"] }.map(\.told) == [])
  }

  @Test("a change between creating and opening a screen reaches the screen")
  func changedBeforeOpening() async throws {
    let world = World()
    let screen = Screen(session: try await world.store.loggedIn(World.alice))
    try await world.rename(to: "Alice B.")
    world.store.open(screen, with: screen.session)
    #expect(screen.told == ["follow Alice B."])
  }

  @Test(
    "a screen is dismissed once, with the reason, and gets no call afterwards",
    arguments: [EndReason.userAsked, .revoked, .accountDisabled, .accountDeleted, .switchedUser, .expired(.idle)])
  func dismissed(reason: EndReason) async throws {
    let (world, _) = try await World.withAlice()
    let screen = try #require(world.store.open(Screen.self))
    switch reason {
    case .userAsked:
      _ = try await world.store.logOut()
    case .switchedUser:
      try await world.store.switched(to: World.bob)
    case .expired, .revoked, .accountDisabled, .accountDeleted, .rebooted, .storeReleased:
      world.authority.end(try #require(world.authority.liveTokens.first), reason)
      _ = try? await world.store.check()
    }
    #expect(screen.told == ["dismiss \(reason.code)"])
    _ = try await world.store.logOut()
    try await world.store.loggedIn(World.alice)
    try await world.store.renew()
    _ = try await world.store.logOut()
    #expect(screen.told == ["dismiss \(reason.code)"])
  }

  @Test("a screen that is opened twice gets each call once")
  func openedTwice() async throws {
    let (world, key) = try await World.withAlice()
    let screen = try #require(world.store.open(Screen.self))
    let neighbour = Screen(session: key)
    world.store.open(neighbour, with: key)
    world.store.open(screen, with: key)
    let renamed = try await world.rename(to: "Alice B.")
    world.store.open(screen, with: renamed)
    _ = try await world.store.logOut()
    #expect(screen.told == ["follow Alice B.", "dismiss user_asked"])
    #expect(neighbour.told == screen.told)
  }

  @Test("a dismissed screen that is opened with the key of another session follows that session")
  func openedForAnotherSession() async throws {
    let (world, _) = try await World.withAlice()
    let screen = try #require(world.store.open(Screen.self))
    _ = try await world.store.logOut()
    world.store.open(screen, with: try await world.store.loggedIn(World.alice))
    _ = try await world.store.logOut()
    #expect(screen.told == ["dismiss user_asked", "dismiss user_asked"])
  }

  @Test("a session that ends between creating and opening a screen dismisses it immediately")
  func endedBeforeOpening() async throws {
    let world = World()
    let screen = Screen(session: try await world.store.loggedIn(World.alice))
    _ = try await world.store.logOut()
    world.store.open(screen, with: screen.session)
    #expect(screen.told == ["dismiss user_asked"])
    try await world.store.loggedIn(World.alice)
    #expect(screen.told == ["dismiss user_asked"])
  }

  @Test("another user's login between creating and opening a screen never reaches the screen")
  func otherUserBeforeOpening() async throws {
    let world = World()
    let screen = Screen(session: try await world.store.loggedIn(World.alice))
    try await world.store.switched(to: World.bob)
    world.store.open(screen, with: screen.session)
    #expect(screen.told == ["dismiss switched_user"])
    world.authority.setAccount("bob", password: World.bob.password, displayName: "Bob B.")
    try await world.store.check()
    #expect(screen.told == ["dismiss switched_user"])
  }

  @Test("a screen is dismissed once, even if more changes follow before its notification")
  func dismissedOnceUnderLoad() async throws {
    let (world, _) = try await World.withAlice()
    // Attached first, so that it queues further changes before the screen is notified of the
    // logout.
    let store = world.store
    let rounds = Locked(0)
    let restless = Listener(onLoggedOut: { _ in
      let round = rounds.withLock { rounds in
        rounds += 1
        return rounds
      }
      guard round < 4 else { return }
      store.beginLogIn(World.bob)
      store.beginLogOut()
    })
    store.attach(restless)
    let screen = try #require(store.open(Screen.self))
    _ = try await store.logOut()
    #expect(rounds.withLock { $0 } == 4)
    #expect(screen.told == ["dismiss user_asked"])
  }

  @Test("a screen is dismissed when the store is released")
  func storeGone() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    try await store?.loggedIn(World.alice)
    let screen = try #require(store.flatMap { $0.open(Screen.self) })
    store = nil
    #expect(screen.told == ["dismiss store_released"])
    #expect(world.authority.liveTokens.count == 1)
  }

  @Test("the navigation bar's button sends the command of its label, and follows the session")
  func navigationBar() async throws {
    let world = World()
    let bar = NavigationBar(store: world.store)
    #expect(bar.button == .logIn)
    #expect(bar.button.command == .logIn)
    guard case .nothing = try await bar.press(credentials: { nil }) else {
      Issue.record("a login without credentials was begun")
      return
    }
    try await bar.press(credentials: { World.alice })
    #expect(bar.button.label == "Log out")
    try await world.rename(to: "Alice B.")
    guard case .logOut(let user) = bar.button else {
      Issue.record("the button is \(bar.button)")
      return
    }
    #expect(user.displayName == "Alice B.")
    guard case .loggingOut(let logout) = try await bar.press(credentials: { World.bob }) else {
      Issue.record("the button did not log out")
      return
    }
    #expect(try await logout.value() == .complete)
    #expect(bar.button == .logIn)
    #expect(world.store.session == nil)
  }

  @Test("a navigation bar created during a logout shows Log in, which is refused until the logout has ended")
  func navigationBarDuringLogout() async throws {
    let (world, _) = try await World.withAlice()
    let logout = await world.authority.holding(.revoke) { world.store.beginLogOut() }
    let bar = NavigationBar(store: world.store)
    #expect(bar.button == .logIn)
    await #expect(throws: SessionError.self) { try await bar.press(credentials: { World.bob }) }
    world.authority.release(.revoke)
    #expect(try await logout.value() == .complete)
    #expect(bar.button == .logIn)
    try await bar.press(credentials: { World.bob })
    #expect(bar.button.command == .logOut)
  }

  @Test("an observer that attaches during a renewal immediately learns who is logged in")
  func attachedWhileRenewing() async throws {
    let (world, _) = try await World.withAlice()
    let renewal = await world.authority.holding(.renew) { Task { try await world.store.renew() } }
    let bar = NavigationBar(store: world.store)
    let listener = Listener()
    world.store.attach(listener)
    #expect(bar.button.command == .logOut)
    #expect(listener.heard == ["in alice"])
    world.authority.release(.renew)
    _ = try await renewal.value
    #expect(listener.heard.first == "in alice")
  }
}
