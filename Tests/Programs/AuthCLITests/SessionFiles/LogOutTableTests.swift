import Foundation
import Programs
import Testing

@Suite("A logout over every state of the session file", .timeLimit(.minutes(10)))
struct LogOutTableTests {
  /// The states in which the logout can read the token, so that the session must be over.
  private static let legible: Set<SessionFileState> = [
    .active, .loggedOut, .expired, .ofEarlierBoot, .disabled, .firstUse, .superseded, .open, .damagedDetails,
  ]

  @Test("It ends with 0 only if no session is left in the database", arguments: SessionFileState.allCases)
  func table(state: SessionFileState) async throws {
    let home = try await CommandHome(loggedIn: true)
    try state.apply(to: home)
    let outcome = try await home.run("logout")
    let left = try home.activeSessions
    switch state {
    case .absent:
      // Nothing says that there ever was a session here.
      #expect(outcome.ending == .exited(0) && outcome.text.contains("Nobody was logged in."))
    case _ where Self.legible.contains(state):
      #expect(outcome.ending == .exited(0) && left == 0, "\(outcome.ending), \(left) left: \(outcome.text)")
    case _:
      #expect(outcome.ending == .exited(3) && left == 1, "\(outcome.ending), \(left) left: \(outcome.text)")
      #expect(outcome.text.contains("auth-cli logout --all"), "\(outcome.text)")
      if state == .linked { return }
      // What it says to do ends the session.
      #expect(try await home.run("status").ending == .exited(1))
      try await home.succeed("login alice", as: "alice")
      try await home.succeed("logout --all")
      #expect(try home.activeSessions == 0)
    }
  }

  @Test("A file with any one bit off is ended, or it is said that a session may be left")
  func oneBit() async throws {
    let origin = try await CommandHome(loggedIn: true)
    let size = try Data(contentsOf: URL(filePath: origin.sessionFile)).count
    // A prime number of bits apart, so that each of the eight bits of a byte is off somewhere.
    for bit in stride(from: 3, to: size * 8, by: 31) {
      let home = try await origin.copy()
      var content = try Data(contentsOf: URL(filePath: home.sessionFile))
      content[bit / 8] ^= 1 << (bit % 8)
      try content.write(to: URL(filePath: home.sessionFile))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.sessionFile)
      let outcome = try await home.run("logout")
      let left = try home.activeSessions
      #expect(
        outcome.ending == .exited(left == 0 ? 0 : 3), "bit \(bit): \(outcome.ending), \(left) left: \(outcome.text)")
    }
  }
}
