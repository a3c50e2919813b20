import AuthCoreTesting
import Testing

@testable import AuthCore

@MainActor @Suite("Objects of the main actor")
struct MainActorTests: InWorld {
  let world = World()

  @Test(
    "a view model is notified immediately when it is attached, then of every change in order, from any thread",
    arguments: [WorkPlace.callingThread, .separateThreads])
  func viewModel(place: WorkPlace) async throws {
    let store = World(worksOn: place).store
    await store.restore()
    let model = MainModel()
    store.attach(model)
    #expect(model.told == ["out"])
    try await Task.detached {
      for _ in 0..<50 {
        try await store.loggedIn(World.alice)
        #expect(await model.told.last == "in alice")
        _ = try await store.logOut()
        #expect(await model.told.last == "out")
      }
    }.value
    #expect(model.told == ["out"] + (0..<50).flatMap { _ in ["in alice", "out"] })
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
}
