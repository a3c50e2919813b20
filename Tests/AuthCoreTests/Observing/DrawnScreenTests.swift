import AuthCoreTesting
import Observation
import Testing

@testable import AuthCore

/// Features for drawn screens: wake-ups, presses of the visible button, and a view of the machine.
@Suite("Drawn screens")
struct DrawnScreenTests {
  @Test("a live key is observable: a reader of its session or its dismissal is notified when that changes")
  func observable() async throws {
    let world = World()
    let key = LiveKey(try await world.store.loggedIn(World.alice))
    let (sessions, dismissals) = (Counter(), Counter())
    withObservationTracking {
      _ = key.session
    } onChange: {
      sessions.add(1)
    }
    withObservationTracking {
      _ = key.dismissal
    } onChange: {
      #expect(key.dismissal == .revoked)
      dismissals.add(1)
    }
    world.authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.")
    key.follow(try await world.store.check())
    #expect((sessions.value, dismissals.value) == (1, 0))
    key.dismiss(.revoked)
    #expect((sessions.value, dismissals.value) == (1, 1))
  }

  @Test("a press of Log in never logs out a login that began elsewhere")
  func pressesWhatWasSeen() async throws {
    let world = World()
    let bar = NavigationBar(store: world.store)
    let seen = bar.button
    #expect(seen == .logIn)
    let session = try await world.store.loggedIn(World.alice)
    guard case .nothing = try await bar.press(seen, credentials: { World.alice }) else {
      Issue.record("the press did something")
      return
    }
    #expect(session.isLive)
    // Nor does it log out another user than the visible one.
    try await world.store.switched(to: World.bob)
    guard case .nothing = try await bar.press(.logOut(session.user), credentials: { nil }) else {
      Issue.record("the press did something")
      return
    }
    #expect(world.store.session?.user.username == "bob")
    guard case .loggingOut(let pending) = try await bar.press(bar.button, credentials: { nil }) else {
      Issue.record("the press did nothing")
      return
    }
    _ = try await pending.value()
    #expect(world.store.session == nil)
  }

  @Test("the machine's last steps are recorded on request, up to a limit")
  func steps() async throws {
    let world = World()
    await world.store.restore()
    #expect(world.store.machine.steps == [])
    world.store.keepSteps(3)
    try await world.store.loggedIn(World.alice)
    #expect(world.store.machine.state == .loggedIn)
    /// Without the time, which differs in each run.
    func timeless(_ step: MachineStep) -> MachineStep {
      MachineStep(event: step.event, from: step.from, to: step.to, answer: step.answer)
    }
    #expect(world.store.machine.steps.allSatisfy { $0.at != nil })
    #expect(
      world.store.machine.steps.map(timeless) == [
        .init(event: "logIn", from: .loggedOut, to: .authenticating, answer: .transition),
        .init(event: "authenticated", from: .authenticating, to: .authenticating, answer: .transition),
        .init(event: "saved", from: .authenticating, to: .loggedIn, answer: .transition),
      ])
    _ = world.store.beginLogIn(World.bob)
    #expect(
      world.store.machine.steps.last.map(timeless)
        == .init(event: "logIn", from: .loggedIn, to: .loggedIn, answer: .rejected(.alreadyLoggedIn)))
    #expect(world.store.machine.steps.count == 3)
  }
}
