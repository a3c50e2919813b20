import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("nothing leaks")
struct LeakTests {
  @Test("releasing the store frees it, its core, and the timer of its limits")
  func store() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    weak let weakStore = store
    weak let weakCore = store?.core
    let key = try await store?.loggedIn(World.alice)
    await world.clock.waitForSleepers(1)
    store = nil
    #expect(weakStore == nil)
    await until { weakCore == nil }
    #expect(world.clock.sleepers == 0)
    #expect(key?.endReason == .storeReleased)
    #expect(world.authority.liveTokens.count == 1)
  }

  @Test("the store holds a stateful observer weakly, and the observer keeps the store only during its lifetime")
  func stateful() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    weak let weakCore = store?.core
    var listener: Listener? = Listener()
    weak let weakListener = listener
    if let listener { store?.attach(listener) }
    try await store?.loggedIn(World.alice)
    listener = nil
    #expect(weakListener == nil)
    try await store?.renew()
    store = nil
    await until { weakCore == nil }
  }

  @Test("a guarded screen is held weakly")
  func screen() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    weak let weakCore = store?.core
    try await store?.loggedIn(World.alice)
    var screen = store.flatMap { $0.open(Screen.self) }
    weak let weakScreen = screen
    #expect(weakScreen != nil)
    screen = nil
    #expect(weakScreen == nil)
    store = nil
    await until { weakCore == nil }
  }

  @Test("a navigation bar is held weakly, and releases its store")
  func navigationBar() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    weak let weakCore = store?.core
    var bar = store.map { NavigationBar(store: $0) }
    weak let weakBar = bar
    store = nil
    #expect(weakCore != nil)
    bar = nil
    #expect(weakBar == nil)
    await until { weakCore == nil }
  }

  @Test("a released stream frees its buffer, and an active stream does not keep the store alive")
  func stream() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    weak let weakStore = store
    weak let weakCore = store?.core
    weak let dropped = store?.transitions(bound: 256).makeAsyncIterator().buffer
    #expect(dropped == nil)
    let transitions = store?.transitions(bound: 256)
    let reader = Task {
      guard let transitions else { return }
      for await _ in transitions {}
    }
    store = nil
    #expect(weakStore == nil)
    await reader.value
    _ = consume transitions
    #expect(weakStore == nil)
    _ = weakCore
  }

  @Test("if observers come and go without a change, there are at most twice as many as living ones")
  func comingAndGoing() async throws {
    let world = World()
    let living = (0..<20).map { _ in Listener() }
    for listener in living { world.store.attach(listener) }
    for _ in 0..<10_000 {
      _ = world.store.transitions(bound: 256).makeAsyncIterator()
      world.store.attach(Listener())
    }
    #expect(world.store.core.withLock { $0.observers.count } <= 2 * living.count + 1)
    try await world.store.loggedIn(World.alice)
    #expect(living.allSatisfy { $0.heard == ["in alice"] })
  }

  @Test("work under way when the store is released frees the core when it ends")
  func workUnderWay() async throws {
    let world = World()
    var store: SessionStore? = world.anotherProcess()
    weak let weakCore = store?.core
    world.authority.hold(.authenticate)
    store?.beginLogIn(World.alice)
    await world.authority.waitUntilHeld(.authenticate)
    store = nil
    #expect(weakCore != nil)
    world.authority.release(.authenticate)
    await until { weakCore == nil }
    #expect(world.vault.content == .token(try #require(world.authority.liveTokens.first)))
  }
}
