import AuthCoreTesting
import Guards
import Observation
import Races
import Testing

@testable import AuthCore

@Suite("Screens follow the user")
struct ScreenTests: InWorld {
  let world = World()

  @Test("a guarded screen is nil when nobody is logged in, and opens with a key otherwise")
  func opens() async throws {
    #expect(store.open(Screen.self) == nil)
    let key = try await store.loggedIn(World.alice)
    let screen = try #require(store.open(Screen.self))
    #expect(screen.session == key)
    #expect(screen.told == [])
  }

  /// The ways to find out that a session has ended.
  enum Discovery: CaseIterable { case check, renewal, password, report, logout, userSwitch }

  @Test(
    "screens are dismissed when the keys die, before the result and before the cleanup, and then get no call",
    arguments: [
      (Discovery.check, EndReason.revoked), (.check, .accountDisabled), (.check, .accountDeleted),
      (.check, .expired(.idle)), (.renewal, .revoked), (.password, .revoked), (.report, .revoked),
      (.logout, .userAsked), (.userSwitch, .switchedUser),
    ])
  func dismissed(discovery: Discovery, reason: EndReason) async throws {
    let key = try await logInAlice()
    let screen = try #require(store.open(Screen.self))
    let controller = try #require(await Task { @MainActor in store.open(MainScreen.self) }.value)
    let token = try #require(authority.liveTokens.first)
    if discovery != .logout && discovery != .userSwitch { authority.end(token, reason) }
    vault.hold(.erase)
    let ended = SessionError.ended(reason)
    switch discovery {
    case .check: await #expect(throws: ended) { try await store.check() }
    case .renewal: await #expect(throws: ended) { try await store.renew() }
    case .password:
      await #expect(throws: ended) { try await store.reauthenticated(password: World.alice.password) }
    case .report: store.reportEnded(key, because: reason)
    case .logout: store.beginLogOut()
    case .userSwitch: try await store.switched(to: World.bob)
    }
    let dismissal = ["dismiss \(reason.code)"]
    #expect(screen.told == dismissal)
    if discovery == .report || discovery == .logout { await Task { @MainActor in }.value }
    #expect(await controller.told == dismissal)
    if discovery != .userSwitch { #expect(store.state == .loggingOut) }
    vault.release(.erase)
    _ = try await store.logOut()
    try await store.loggedIn(World.alice)
    try await store.renew()
    _ = try await store.logOut()
    #expect(screen.told == dismissal)
  }

  @Test("a changed name reaches open screens with a new key, and the old key is a snapshot")
  func changedUser() async throws {
    let old = try await logInAlice()
    let screen = try #require(store.open(Screen.self))
    authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.", role: .administrator)
    let new = try await store.check()
    #expect(screen.told == ["follow Alice B."])
    #expect(old.user.displayName == "alice")
    #expect(old.isLive)
    #expect(new.user.displayName == "Alice B.")
  }

  @Test("a screen that two threads open simultaneously is dismissed once")
  func openedTwiceAtOnce() async throws {
    let key = try await logInAlice()
    let screens = (0..<400).map { _ in Screen(session: key) }
    _ = TwoThreads.race(rounds: screens.count) { round in
      store.open(screens[round], with: key)
      return true
    }
    _ = try await store.logOut()
    #expect(screens.filter { $0.told != ["dismiss user_asked"] }.map(\.told) == [])
  }

  /// What happens between creating and opening a screen.
  enum Change: CaseIterable { case rename, logout, userSwitch }

  @Test(
    "a change between creating and opening a screen reaches it; after a dismissal nothing does",
    arguments: Change.allCases)
  func changedBeforeOpening(change: Change) async throws {
    let screen = Screen(session: try await logInAlice())
    let told: String
    switch change {
    case .rename:
      try await world.rename(to: "Alice B.")
      told = "follow Alice B."
    case .logout:
      try await store.logOut()
      told = "dismiss user_asked"
    case .userSwitch:
      try await store.switched(to: World.bob)
      told = "dismiss switched_user"
    }
    store.open(screen, with: screen.session)
    #expect(screen.told == [told])
    if change == .logout { try await store.loggedIn(World.alice) }
    authority.setAccount("bob", password: World.bob.password, displayName: "Bob B.")
    try await store.check()
    #expect(screen.told == [told])
  }

  @Test("a screen that is opened twice gets each call once")
  func openedTwice() async throws {
    let key = try await logInAlice()
    let screen = try #require(store.open(Screen.self))
    let neighbour = Screen(session: key)
    store.open(neighbour, with: key)
    store.open(screen, with: key)
    let renamed = try await world.rename(to: "Alice B.")
    store.open(screen, with: renamed)
    _ = try await store.logOut()
    #expect(screen.told == ["follow Alice B.", "dismiss user_asked"])
    #expect(neighbour.told == screen.told)
  }

  @Test("a dismissed screen that is opened with the key of another session follows that session")
  func openedForAnotherSession() async throws {
    try await logInAlice()
    let screen = try #require(store.open(Screen.self))
    _ = try await store.logOut()
    store.open(screen, with: try await store.loggedIn(World.alice))
    _ = try await store.logOut()
    #expect(screen.told == ["dismiss user_asked", "dismiss user_asked"])
  }

  @Test("a screen is dismissed once, even if more changes follow before its notification")
  func dismissedOnceUnderLoad() async throws {
    try await logInAlice()
    // Attached first, so that it queues further changes before the screen is notified of the
    // logout.
    let rounds = Counter()
    let restless = Listener(onLoggedOut: { _ in
      rounds.add(1)
      guard rounds.value < 4 else { return }
      store.beginLogIn(World.bob)
      store.beginLogOut()
    })
    store.attach(restless)
    let screen = try #require(store.open(Screen.self))
    _ = try await store.logOut()
    #expect(rounds.value == 4)
    #expect(screen.told == ["dismiss user_asked"])
  }

  @Test("a screen is dismissed when the store is released")
  func storeGone() async throws {
    var store: SessionStore? = world.anotherProcess()
    try await store?.loggedIn(World.alice)
    let screen = try #require(store.flatMap { $0.open(Screen.self) })
    store = nil
    #expect(screen.told == ["dismiss store_released"])
    #expect(authority.liveTokens.count == 1)
  }

  @Test("an observer that attaches during a renewal immediately learns who is logged in")
  func attachedWhileRenewing() async throws {
    try await logInAlice()
    let renewal = await authority.holding(.renew) { Task { try await store.renew() } }
    let bar = NavigationBar(store: store)
    let listener = Listener()
    store.attach(listener)
    #expect(bar.button.command == .logOut)
    #expect(listener.heard == ["in alice"])
    authority.release(.renew)
    _ = try await renewal.value
    #expect(listener.heard.first == "in alice")
  }

  @Test("a live key is observable: a reader of its session or its dismissal is notified when that changes")
  func liveKey() async throws {
    let key = LiveKey(try await logInAlice())
    let sessions = Counter.ofChanges { _ = key.session }
    let dismissals = Counter()
    withObservationTracking {
      _ = key.dismissal
    } onChange: {
      #expect(key.dismissal == .revoked)
      dismissals.add(1)
    }
    key.follow(try await world.rename(to: "Alice B."))
    #expect((sessions.value, dismissals.value) == (1, 0))
    key.dismiss(.revoked)
    #expect((sessions.value, dismissals.value) == (1, 1))
  }
}
