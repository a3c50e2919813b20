import AuthCoreTesting
import Testing

@testable import AuthCore

@MainActor @Suite("Objects of the main actor")
struct MainActorTests: InWorld {
  let world = World()

  @Test(
    "a view model is notified immediately when it is attached, and of every change in order",
    arguments: [WorkPlace.callingThread, .separateThreads])
  func viewModel(place: WorkPlace) async throws {
    let world = World(worksOn: place)
    await world.store.restore()
    let model = MainModel()
    world.store.attach(model)
    #expect(model.told == ["out"])
    for _ in 0..<20 {
      try await world.store.loggedIn(World.alice)
      #expect(model.told.last == "in alice")
      _ = try await world.store.logOut()
      #expect(model.told.last == "out")
    }
    #expect(model.told.count == 41)
  }

  @Test("changes from other threads reach the main actor in order, and none is lost")
  func otherThreads() async throws {
    let world = World(worksOn: .separateThreads)
    await world.store.restore()
    let model = MainModel()
    world.store.attach(model)
    let store = world.store
    await Task.detached {
      for _ in 0..<50 {
        _ = try? await store.loggedIn(World.alice)
        _ = try? await store.logOut()
      }
    }.value
    #expect(model.told == ["out"] + (0..<50).flatMap { _ in ["in alice", "out"] })
  }

  @Test(
    "an awaited logout returns after the screens of the main actor were dismissed",
    arguments: [WorkPlace.callingThread, .separateThreads])
  func dismissedBeforeLogoutReturns(place: WorkPlace) async throws {
    let world = World(worksOn: place)
    let store = world.store
    for _ in 0..<20 {
      try await store.loggedIn(World.alice)
      let screen = try #require(store.open(MainScreen.self))
      let told = try await Task.detached {
        _ = try await store.logOut()
        return await screen.told
      }.value
      #expect(told == ["dismiss user_asked"])
    }
  }

  @Test("a screen of the main actor follows only its user")
  func follows() async throws {
    try await logInAlice()
    let screen = try #require(store.open(MainScreen.self))
    store.open(screen, with: screen.session)
    try await world.rename(to: "Alice B.")
    #expect(screen.told == ["follow Alice B."])
    try await store.switched(to: World.bob)
    #expect(screen.told == ["follow Alice B.", "dismiss switched_user"])
    try await store.logOut()
    #expect(screen.told.count == 2)
  }

  @Test("a call may send commands and attach other objects, whose first call comes before attach returns")
  func commandsFromInside() async throws {
    await store.restore()
    let (quitter, later) = (MainModel(), MainModel())
    var heard: [String] = []
    quitter.onLoggedIn = {
      store.attach(later)
      heard = later.told
      store.beginLogOut()
    }
    store.attach(quitter)
    try await store.loggedIn(World.alice)
    _ = try await store.logOut()
    #expect(quitter.told == ["out", "in alice", "out"])
    #expect(heard == ["in alice"] && later.told.last == "out")
  }

  @Test("the store holds objects of the main actor weakly, and removes released ones")
  func weakly() async throws {
    try await logInAlice()
    weak var released: MainModel?
    do {
      let model = MainModel()
      released = model
      store.attach(model)
    }
    #expect(released == nil)
    for _ in 0..<100 { _ = store.open(MainScreen.self) }
    #expect(store.core.withLock { $0.observers.count } <= 33)
  }

  @Test("the end of the store dismisses the screens of the main actor")
  func storeReleased() async throws {
    var store: SessionStore? = world.anotherProcess()
    try await store?.loggedIn(World.alice)
    let screen = try #require(store.flatMap { $0.open(MainScreen.self) })
    store = nil
    while screen.told.isEmpty { await Task.yield() }
    #expect(screen.told == ["dismiss store_released"])
  }
}
