import AuthCoreTesting
import Races
import Testing

@testable import AuthCore

@Suite("Screens follow the user", .timeLimit(.minutes(10)))
struct ScreenTests: InWorld {
  let world = World()

  /// The ways to find out that a session has ended.
  enum Discovery: CaseIterable { case check, renewal, password, report, logout, userSwitch }

  @Test(
    "the end of a session kills its keys and dismisses screens, before the result and the cleanup, and then there is no call",
    arguments: [
      (Discovery.check, EndReason.revoked), (.check, .accountDisabled), (.check, .accountDeleted),
      (.check, .expired(.idle)), (.renewal, .revoked), (.password, .revoked),
      (.report, .revoked),
      (.logout, .userAsked), (.userSwitch, .switchedUser),
    ])
  func dismissed(discovery: Discovery, reason: EndReason) async throws {
    let key = try await logInAlice()
    let screens = try await BothScreens(store)
    let token = try #require(authority.liveTokens.first)
    if discovery != .logout && discovery != .userSwitch { authority.end(token, reason) }
    vault.hold(.erase)
    let ended = SessionError.ended(reason)
    let command = Task.immediate {
      switch discovery {
      case .check: await #expect(throws: ended) { try await store.check() }
      case .renewal: await #expect(throws: ended) { try await store.renew() }
      case .password:
        await #expect(throws: ended) { try await store.reauthenticate(password: World.alice.password).key }
      case .report: store.reportEnded(key, because: reason)
      case .logout: store.beginLogOutAnyone()
      case .userSwitch: _ = try await store.switchUser(to: World.bob).key
      }
    }
    if discovery == .userSwitch { try await command.value } else { await vault.waitUntilHeld(.erase) }
    let dismissal = ["dismiss \(reason.code)"]
    await screens.expect(dismissal)
    #expect(key.endReason == reason)
    if discovery != .userSwitch { #expect(store.state == .loggingOut(reason)) }
    vault.release(.erase)
    try await command.value
    _ = try await store.logOutAnyone()
    #expect(vault.content == .empty)
    if discovery != .userSwitch { #expect(store.state == .loggedOut(.ended(reason))) }
    try await store.loggedIn(World.alice)
    try await store.renew()
    _ = try await store.logOutAnyone()
    await screens.expect(dismissal)
    // Opened with the key of another session, they follow that one.
    await screens.openAgain(with: try await store.loggedIn(World.alice), in: store)
    _ = try await store.logOutAnyone()
    await screens.expect(dismissal + ["dismiss user_asked"])
  }

  @Test("a screen opens only in a session, and is told each change of its user once, however often it is opened")
  func follows() async throws {
    #expect(store.open(Screen.self) == nil)
    let old = try await logInAlice()
    let screens = try await BothScreens(store)
    #expect(screens.screen.session == old)
    await screens.openAgain(with: old, in: store)
    let new = try await world.rename(to: "Alice B.")
    #expect(old.user.displayName == "alice" && old.isLive && new.user.displayName == "Alice B.")
    await screens.openAgain(with: new, in: store)
    await screens.expect(["follow Alice B."])
    _ = try await store.switchUser(to: World.bob).key
    _ = try await store.logOutAnyone()
    await screens.expect(["follow Alice B.", "dismiss switched_user"])
  }

  @Test("a screen that two threads open simultaneously is dismissed once")
  func openedTwiceAtOnce() async throws {
    let key = try await logInAlice()
    let screens = (0..<400).map { _ in Screen(session: key) }
    _ = TwoThreads.race(rounds: screens.count) { round in
      store.open(screens[round], with: key)
      return true
    }
    _ = try await store.logOutAnyone()
    #expect(screens.filter { $0.told != ["dismiss user_asked"] }.map(\.told) == [])
  }

  /// What happens between creating and opening a screen.
  enum Change { case rename, logout, userSwitch }

  @Test(
    "a change between creating and opening a screen reaches it; after a dismissal nothing does",
    arguments: [
      (Change.rename, "follow Alice B."), (.logout, "dismiss user_asked"), (.userSwitch, "dismiss switched_user"),
    ])
  func changedBeforeOpening(change: Change, told: String) async throws {
    let screen = Screen(session: try await logInAlice())
    switch change {
    case .rename: try await world.rename(to: "Alice B.")
    case .logout: try await store.logOutAnyone()
    case .userSwitch: _ = try await store.switchUser(to: World.bob).key
    }
    store.open(screen, with: screen.session)
    #expect(screen.told == [told])
    if change == .logout { try await store.loggedIn(World.alice) }
    authority.setAccount("bob", password: World.bob.password, displayName: "Bob B.")
    try await store.check()
    #expect(screen.told == [told])
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
      store.beginLogOutAnyone()
    })
    store.attach(restless)
    let screen = try #require(store.open(Screen.self))
    _ = try await store.logOutAnyone()
    #expect(rounds.value == 4)
    #expect(screen.told == ["dismiss user_asked"])
  }

  @Test("a live key is observable: a reader of its session or its dismissal is notified when that changes")
  func liveKey() async throws {
    let key = LiveKey(try await logInAlice())
    let sessions = Counter.ofChanges { _ = key.session }
    let dismissals = Counter.ofChanges { _ = key.dismissal }
    key.follow(try await world.rename(to: "Alice B."))
    #expect((sessions.value, dismissals.value) == (1, 0))
    key.dismiss(.revoked)
    #expect((sessions.value, dismissals.value) == (1, 1))
  }
}
