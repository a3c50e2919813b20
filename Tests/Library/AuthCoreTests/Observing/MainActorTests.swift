import AuthCoreTesting
import Testing

@testable import AuthCore

@MainActor @Suite("Objects of the main actor", .timeLimit(.minutes(10)))
struct MainActorTests: InWorld {
  let world = World()

  @Test(
    "a view model is notified immediately when it is attached, then of every change in order, from any thread",
    arguments: [WorkExecutor.callingThread, .separateThreads])
  func viewModel(executor: WorkExecutor) async throws {
    let store = World(executor: executor).store
    await store.restore()
    let model = MainModel()
    store.attach(model)
    #expect(model.told == ["out"])
    try await Task.detached {
      for _ in 0..<50 {
        try await store.loggedIn(World.alice)
        #expect(await model.told.last == "in alice")
        _ = try await store.logOutAnyone()
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
      store.beginLogOutAnyone()
    }
    store.attach(quitter)
    try await store.loggedIn(World.alice)
    _ = try await store.logOutAnyone()
    #expect(quitter.told == ["out", "in alice", "out"])
    #expect(heard == ["in alice"] && later.told.last == "out")
  }

  /// The commands that find out that a session has ended.
  enum Discovery: CaseIterable { case check, renewal, password, code, access, keptAlive }

  @Test(
    "observers know that a session has ended before the command that found it returns", arguments: Discovery.allCases)
  func end(discovery: Discovery) async throws {
    for _ in 0..<30 {
      let world = World(executor: .separateThreads)
      let store = world.store
      world.authority.setAccessTokens(lasting: .zero)
      let key = try await store.loggedIn(World.alice)
      let (model, listener) = (MainModel(), Listener())
      store.attach(model)
      store.attach(listener)
      let challenge = discovery == .code ? try await world.challenged(by: .password) : nil
      for token in world.authority.liveTokens { world.authority.end(token, .revoked) }
      let failure = await #expect(throws: (any Error).self) {
        switch discovery {
        case .check: try await store.check()
        case .renewal: try await store.renew()
        case .password: _ = try await store.reauthenticate(password: World.alice.password)
        case .code:
          world.authority.script(\.challengeAnswers, .failure(.rejected(.session(.ended(.revoked)))))
          _ = try await store.answer(World.code, to: #require(challenge))
        case .access: try await key.withAccess { _ in }
        case .keptAlive:
          let end = Task.immediate { try await store.keepAlive() }
          store.reportEnded(key, because: .revoked)
          throw SessionError.ended(try await end.value)
        }
      }
      #expect(model.told.last == "out" && listener.heard.last == "out \(LogoutReason.ended(.revoked))")
      #expect("\(try #require(failure))".contains("revoked"))
    }
  }

  @Test(
    "inside a lease a command that finds the end of the session does not wait for the lease", arguments: [true, false])
  func insideLease(isLimited: Bool) async throws {
    let key = try await logInAlice()
    authority.end(try #require(authority.liveTokens.first), .revoked)
    _ = try await key.withLease { (_: borrowing SessionLease) async in
      await #expect(throws: SessionError.ended(.revoked)) {
        try await store.check(within: isLimited ? .seconds(60) : nil)
      }
    }
    await store.untilQuiet()
    #expect(store.state == .loggedOut(.ended(.revoked)))
  }

  /// The calls that end a session without a wait.
  enum Call: CaseIterable { case report, logout, limit }

  @Test(
    "on the main actor, screens are dismissed before the call that ends their session returns",
    arguments: Call.allCases, [WorkExecutor.callingThread, .separateThreads])
  func call(_ call: Call, executor: WorkExecutor) async throws {
    let world = World(executor: executor)
    let store = world.store
    let key = try await store.loggedIn(World.alice)
    let screen = try #require(store.open(MainScreen.self))
    // A call from another thread already waits for the main actor.
    await Task.detached { store.core.inbox.put {} }.value
    switch call {
    case .report: store.reportEnded(key, because: .revoked)
    case .logout: store.beginLogOutAnyone()
    case .limit: world.clock.advance(by: .seconds(1800), in: store)
    }
    #expect(screen.told == ["dismiss \(try #require(key.endReason).code)"])
  }

  @Test(
    "on the main actor, screens are dismissed before the call returns, even while another thread notifies observers",
    arguments: Call.allCases)
  func callWhileNotifying(_ call: Call) async throws {
    let key = try await logInAlice()
    let screen = try #require(store.open(MainScreen.self))
    try await whileNotifying(store, of: { [world] in try await world.rename(to: "Alice B.") }) {
      switch call {
      case .report: store.reportEnded(key, because: .revoked)
      case .logout: store.beginLogOutAnyone()
      case .limit: clock.advance(by: .seconds(1800), in: store)
      }
      #expect(screen.told == ["follow Alice B.", "dismiss \(key.endReason?.code ?? "")"])
    }
    #expect(screen.told.count == 2)
  }

  @Test("a test can wait until the store works no more and all observers were told")
  func quiet() async throws {
    let world = World(executor: .separateThreads)
    let (store, model) = (world.store, MainModel())
    world.authority.setRotation(true)
    store.attach(model)
    await store.untilQuiet()
    for _ in 0..<30 {
      try await store.loggedIn(World.alice)
      try await store.renew()
      await store.untilQuiet()
      #expect(world.vaultAgrees, "the confirmation of a renewed token has arrived")
      store.beginLogOutAnyone()
      await store.untilQuiet()
      #expect(model.told.last == "out" && world.isEmpty)
    }
    // It waits for a call that is held.
    await world.authority.holding(.authenticate) { _ = store.beginLogIn(World.alice) }
    let quiet = Task { await store.untilQuiet() }
    quiet.cancel()
    await quiet.value
    #expect(store.state == .authenticating)
    world.authority.release(.authenticate)
  }
}
