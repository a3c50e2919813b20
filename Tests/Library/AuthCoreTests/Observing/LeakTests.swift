import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("nothing leaks", .timeLimit(.minutes(10)))
struct LeakTests: InWorld {
  let world = World()

  @Test("releasing the store frees it, its core and its timers, and ends its keys and screens, but not the session")
  func store() async throws {
    authority.setAccessTokens(lasting: .seconds(300))
    var store: SessionStore? = world.anotherProcess()
    weak let weakStore = store
    weak let weakCore = store?.core
    let key = try #require(await store?.loggedIn(World.alice))
    let screens = try await BothScreens(#require(store))
    #expect(try await key.withAccess { $0.value } == "access-1")
    await clock.waitForSleepers(1)
    store = nil
    #expect(weakStore == nil)
    await screens.expect(["dismiss store_released"])
    await #expect(throws: AccessError<Never>.session(.ended(.storeReleased))) { try await key.withAccess { _ in } }
    await until { weakCore == nil }
    #expect(clock.sleepers == 0)
    #expect(key.endReason == .storeReleased)
    #expect(authority.liveTokens.count == 1)
  }

  @Test("an observer, a screen and a bar are held weakly, and only a bar holds its store")
  func held() async throws {
    var store: SessionStore? = world.anotherProcess()
    weak let weakCore = store?.core
    try await store?.loggedIn(World.alice)
    var listener: Listener? = Listener()
    var screen = store.flatMap { $0.open(Screen.self) }
    var bar = store.map { NavigationBar(store: $0) }
    weak let weakListener = listener
    weak let weakScreen = screen
    weak let weakBar = bar
    if let listener { store?.attach(listener) }
    #expect(weakListener != nil && weakScreen != nil)
    (listener, screen) = (nil, nil)
    #expect(weakListener == nil && weakScreen == nil)
    try await store?.renew()
    store = nil
    #expect(weakCore != nil)
    bar = nil
    #expect(weakBar == nil)
    await until { weakCore == nil }
  }

  @Test("if observers come and go without a change, there is at most one more than living ones")
  func comingAndGoing() async throws {
    let living = (0..<20).map { _ in Listener() }
    for listener in living { store.attach(listener) }
    for _ in 0..<10_000 {
      _ = store.transitions(bound: 256).makeAsyncIterator()
      store.attach(Listener())
    }
    await MainActor.run { for _ in 0..<1000 { store.attach(MainModel()) } }
    #expect(store.core.withLock { $0.observers.count } <= living.count + 1)
    try await store.loggedIn(World.alice)
    #expect(living.allSatisfy { $0.heard == ["in alice"] })
  }
}
