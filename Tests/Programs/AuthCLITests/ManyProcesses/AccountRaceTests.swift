import DatabaseFiles
import Programs
import Testing

/// Processes that do to accounts at once what only one of them may.
///
/// In each round they meet between what they read and what they change, unless the lock of the
/// database keeps one of them out.
@Suite("Races over accounts", .timeLimit(.minutes(60)))
struct AccountRaceTests {
  /// Few by default; `ACCOUNT_RACE_ROUNDS=200` is what `make test-races` runs.
  private static let rounds = Program.inheritedEnvironment["ACCOUNT_RACE_ROUNDS"] ?? (Effort.isComplete ? "2" : "1")

  /// Runs some rounds of `fixtures/account-races.sh` in a new home.
  private func race(
    _ rounds: String, _ races: [String], adding variables: [String: String] = [:]
  ) async throws -> (CommandHome, ProgramOutcome) {
    let home = try await CommandHome(registered: false)
    try await home.succeed("register alice", password: CommandHome.alice)
    let scratch = ShortFolder()
    let bin = home.executable.dropLast("/auth-cli".count)
    let environment = home.environment.merging([
      "PATH": "\(bin):/usr/bin:/bin", "RACE_LIBRARY": try await CallShim.compile("meet-at-write.c", into: scratch),
    ]) { $1 }.merging(variables) { $1 }
    let script = BuiltExecutable.repository + "/fixtures/account-races.sh"
    let outcome = try await Program(
      script, [rounds] + races, environment: environment, timeLimit: .seconds(3600)
    ).run()
    withExtendedLifetime(scratch) {}
    return (home, outcome)
  }

  @Test("one code twice, two demotions, a deletion against a payment: one of two processes wins, and no money is lost")
  func processes() async throws {
    let (home, outcome) = try await race(Self.rounds, ["codes", "demotions", "deletions"])
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    #expect(try #require(Books(home.database)).areInOrder)
    if Self.rounds.count > 1 { print(outcome.text) }
  }

  @Test(
    "without transactions both processes win in the first round",
    arguments: ["codes": "code was not used", "demotions": "one was demoted", "deletions": "one of both"].sorted {
      $0 < $1
    })
  func control(race name: String, words: String) async throws {
    let (_, outcome) = try await race("1", [name], adding: ["RACE_UNLOCKED": "1"])
    #expect(outcome.ending == .exited(1) && outcome.text.contains(words), "\(outcome.text)")
    #expect(outcome.text.contains("round 1: statuses 0 0"), "\(outcome.text)")
  }
}
