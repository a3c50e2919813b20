import Foundation
import Programs
import Testing

@Suite("Commands that only read", .timeLimit(.minutes(10)))
struct OnlyReadsTests {
  /// What people, prompts and shells run without meaning to change anything.
  private static let lines = [
    "status", "status --json", "status --short", "contexts", "contexts --short", "contexts --users", "help pay",
    "--version", "completions bash -- login ", "completions zsh -- pay 1 --to ",
    "completions fish -- sessions revoke ", "completions bash -- accounts show ", "completions bash -- --context ",
  ]

  @Test(
    "They change neither the session file nor a row, in any state of the two", arguments: SessionFileState.allCases)
  func changeNothing(state: SessionFileState) async throws {
    let (origin, another) = (try await CommandHome(loggedIn: true), try await CommandHome.another())
    for (number, database) in DatabaseState.allCases.enumerated() {
      let home = try await origin.copy()
      try state.apply(to: home)
      try database.apply(to: home, another: another)
      let before = try home.fingerprint()
      // In `make test` each line is run in one of the states of the database.
      let turn = DatabaseState.allCases.count
      for (place, line) in Self.lines.enumerated() where Effort.isComplete || place % turn == number {
        let outcome = try await home.run(line)
        #expect(try home.fingerprint() == before, "\(line) changed something: \(outcome.text)")
        guard case .exited = outcome.ending else {
          Issue.record("\(line) ended with \(outcome.ending)")
          continue
        }
      }
    }
  }

  @Test("Every command that needs the session of another database names it and leaves the file as it is")
  func refuseAnother() async throws {
    let home = try await CommandHome(loggedIn: true)
    let another = try await CommandHome.another()
    try DatabaseState.another.apply(to: home, another: another)
    let before = try home.fingerprint()
    for line in [
      "status", "home", "pay 1 --to bob", "receipts", "profile", "profile --name A", "sessions", "events", "reauth",
      "password", "recovery-codes", "two-step status", "accounts list", "accounts show bob", "require", "logout",
      "logout --all", "login alice --password-stdin", "login bob --password-stdin --switch",
    ] {
      let outcome = try await home.run(line, input: CommandHome.alice)
      #expect(outcome.ending == .exited(3), "\(line): \(outcome.ending) \(outcome.text)")
      #expect(outcome.text.contains("the session belongs to the database"), "\(line): \(outcome.text)")
      #expect(
        outcome.text.contains("AUTH_CLI_HOME") && outcome.text.contains(home.sessionFile), "\(line): \(outcome.text)")
    }
    #expect(try home.fingerprint() == before)
  }
}
