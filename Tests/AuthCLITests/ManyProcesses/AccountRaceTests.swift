import DatabaseFiles
import Programs
import Testing

/// Processes that do to accounts at once what only one of them may.
@Suite("Races over accounts", .timeLimit(.minutes(60)))
struct AccountRaceTests {
  /// Few by default; `ACCOUNT_RACE_ROUNDS=200` is what `make test-races` runs.
  private static let rounds = Program.inheritedEnvironment["ACCOUNT_RACE_ROUNDS"] ?? (Effort.isComplete ? "2" : "1")

  @Test("one code twice, two demotions, a deletion against a payment: one of two processes wins, and no money is lost")
  func processes() async throws {
    let home = try await CommandHome(registered: false)
    try await home.succeed("register alice", password: CommandHome.alice)
    let bin = home.executable.dropLast("/auth-cli".count)
    let environment = home.environment.merging(["PATH": "\(bin):/usr/bin:/bin"]) { $1 }
    let outcome = try await Program(
      BuiltExecutable.repository + "/fixtures/account-races.sh", [Self.rounds], environment: environment,
      timeLimit: .seconds(3600)
    ).run()
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    #expect(try #require(Books(home.database)).areInOrder)
    if Self.rounds.count > 1 { print(outcome.text) }
  }
}
