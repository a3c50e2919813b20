import AuthCore
import AuthCoreTesting
import Testing

@Suite("The first look at a saved session")
struct FirstLookTests {
  private static let token = SessionToken(bytes: [1])
  private let clock = ManualClock()

  private func look(_ reading: VaultReading, answering grant: Grant?) -> Grant? {
    SessionStore.firstLook(at: reading, clock: clock) { _ in grant }
  }

  private func grant(_ token: SessionToken, idle: Deadline = .never) -> Grant {
    Grant(
      id: SessionID(rawValue: "s1"),
      user: User(id: UserID(rawValue: "u1"), username: "alice", displayName: "Alice", role: .member),
      token: token, limits: SessionLimits(idle: idle, absolute: .never, fresh: .never))
  }

  @Test("an active session is found")
  func active() throws {
    let found = grant(Self.token, idle: .at(try clock.now().advanced(by: .seconds(1))))
    #expect(look(.token(Self.token), answering: found) == found)
  }

  @Test("a reached limit, another token, no answer and no saved token are all left to restore()")
  func others() throws {
    let past = grant(Self.token, idle: .at(try clock.now()))
    #expect(look(.token(Self.token), answering: past) == nil)
    #expect(look(.token(Self.token), answering: grant(SessionToken(bytes: [2]))) == nil)
    #expect(look(.token(Self.token), answering: nil) == nil)
    #expect(look(.absent, answering: grant(Self.token)) == nil)
  }
}
