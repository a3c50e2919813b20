import AuthRules
import Programs
import Testing

/// The one difference between the shipped executable and the one that most tests run.
@Suite("The cost of a password", .timeLimit(.minutes(10)))
struct CostTests {
  /// What the stored hash of each account costs.
  private func cost(_ home: CommandHome) -> [PasswordCost?] {
    home.rows("SELECT password_hash FROM accounts ORDER BY id").map { PasswordCost(of: $0) }
  }

  @Test("the shipped program hashes at the standard cost, also what was hashed at a lower one")
  func shipped() async throws {
    let home = try await CommandHome(executable: LeastCost.executable)
    #expect(cost(home) == [.least, .least])
    let shipped = try await home.copy(executable: BuiltExecutable.shipped)
    try await shipped.succeed("login alice", as: "alice")
    #expect(cost(shipped) == [.standard, .least])
    try await shipped.succeed("register carol", password: "an umbrella in the rain")
    #expect(cost(shipped) == [.standard, .least, .standard])
    // A hash is never made cheaper.
    let again = try await shipped.copy(executable: LeastCost.executable)
    try await again.succeed("login alice", as: "alice")
    #expect(cost(again) == [.standard, .least, .standard])
  }
}
