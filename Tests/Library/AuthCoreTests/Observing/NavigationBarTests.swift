import AuthCoreTesting
import Programs
import Testing

@testable import AuthCore

@Suite("The navigation bar", .timeLimit(.minutes(10)))
struct NavigationBarTests: InWorld {
  let world = World()
  private let bar: NavigationBar

  init() { bar = NavigationBar(store: world.store) }

  @Test("the button sends the command of its label, and follows the session")
  func follows() async throws {
    #expect(bar.button == .logIn)
    #expect(try await bar.press(credentials: { nil }).isNothing)
    try await bar.press(credentials: { World.alice })
    #expect(bar.button.label == "Log out")
    let renamed = try await world.rename(to: "Alice B.")
    #expect(bar.button == .logOut(renamed.user))
    let logout = try #require(try await bar.press(credentials: { World.bob }).logout)
    #expect(try await logout.value() == .complete)
    #expect(bar.button == .logIn && store.session == nil)
  }

  @Test("a press never logs out a login that began elsewhere, nor another user than the visible one")
  func pressesWhatWasSeen() async throws {
    let session = try await logInAlice()
    #expect(try await bar.press(.logIn, credentials: { World.alice }).isNothing && session.isLive)
    _ = try await store.switchUser(to: World.bob).key
    #expect(try await bar.press(.logOut(session.user), credentials: { nil }).isNothing)
    #expect(store.session?.user.username == "bob")
    let logout = try #require(try await bar.press(bar.button, credentials: { nil }).logout)
    _ = try await logout.value()
    #expect(store.session == nil)
  }

  @Test("a press logs out the user whose account was shown, even while another user's login is not shown yet")
  func pressesWhileBehind() async throws {
    try await logInAlice()
    try await whileNotifying(store, of: { try await world.rename(to: "Alice B.") }) {
      let seen = bar.button
      // The bar learns of bob only when the other thread continues.
      _ = Task.immediate { try await store.switchUser(to: World.bob) }
      #expect(store.session?.user.username == "bob" && bar.button == seen)
      for shown in [seen, nil] as [NavigationBar.Button?] {
        let pressed = try await bar.press(shown) { nil }
        #expect(pressed.isNothing)
      }
      #expect(store.session?.user.username == "bob")
    }
  }

  @Test("a press never ends another session than that of its user, whatever switches of users it races with")
  func pressesDuringSwitches() async throws {
    let world = World(executor: .separateThreads)
    let (store, bar) = (world.store, NavigationBar(store: world.store))
    for _ in 0..<(Effort.isComplete ? 1000 : 100) {
      let alice = try await store.loggedIn(World.alice)
      async let change = store.switchUser(from: alice, to: World.bob)
      let pressed = try await bar.press(.logOut(alice.user)) { nil }
      if let logout = pressed.logout { _ = try await logout.value() }
      if let bob = try? await change.session { #expect(bob.isLive) }
      try await store.logOutAnyone()
    }
  }

  @Test("a press in a second step gives its challenge again, without a prompt; the button is observed")
  func challenged() async throws {
    authority.setSecondStep(of: "alice", to: World.code)
    let challenge = try #require(try await bar.press(credentials: { World.alice }).challenge)
    #expect(try await bar.press(credentials: { nil }).challenge == challenge)
    #expect(bar.button == .logIn && world.count(.authenticate) == 1)
    let changes = Counter.ofChanges { _ = bar.button }
    _ = try await store.answer(World.code, to: challenge).key
    #expect(changes.value == 1 && bar.button.label == "Log out")
  }
}

extension NavigationBar.Pressed {
  fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }
  fileprivate var challenge: Challenge? { if case .challenged(let challenge) = self { challenge } else { nil } }
  fileprivate var logout: PendingLogout? { if case .loggingOut(let logout) = self { logout } else { nil } }
}
