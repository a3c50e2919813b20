import AuthCoreTesting
import Observation
import Testing

@testable import AuthCore

@Suite struct ChallengedBarTests {
  @Test("a press in a second step gives its challenge again, without a prompt; the button is observed")
  func challenged() async throws {
    let world = World()
    world.authority.setSecondStep(of: "alice", to: World.code)
    let bar = NavigationBar(store: world.store)
    guard case .challenged(let challenge) = try await bar.press(credentials: { World.alice }) else {
      Issue.record("no challenge")
      return
    }
    guard case .challenged(challenge) = try await bar.press(credentials: { nil }) else {
      Issue.record("not the same challenge")
      return
    }
    #expect(bar.button == .logIn && world.count(.authenticate) == 1)
    try await confirmation { changed in
      withObservationTracking {
        _ = bar.button
      } onChange: {
        changed()
      }
      try await world.store.answered(World.code, to: challenge)
    }
    #expect(bar.button.label == "Log out")
  }
}
