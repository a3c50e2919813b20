import AuthBackend
import Programs
import Testing

/// The one difference between the shipped executable and the one that most tests run.
@Suite("The cost of a password")
struct CostTests {
  /// What the stored hash of each account costs.
  private func cost(_ home: TestHome) -> [PasswordCost?] {
    Books.rows(home.database, ["SELECT password_hash FROM accounts ORDER BY id"]).map { PasswordCost(of: $0) }
  }

  @Test("the shipped program hashes at the standard cost, also what was hashed at a lower one")
  func shipped() async throws {
    let home = try TestHome(executable: LeastCost.executable)
    try await home.register()
    #expect(cost(home) == [.least, .least])
    let shipped = try home.copy(executable: BuiltExecutable.shipped)
    try await shipped.logIn()
    #expect(cost(shipped) == [.standard, .least])
    try await shipped.succeed(["register", "carol", "--password-stdin"], input: "an umbrella in the rain")
    #expect(cost(shipped) == [.standard, .least, .standard])
    // A hash is never made cheaper.
    let again = try shipped.copy(executable: LeastCost.executable)
    try await again.logIn()
    #expect(cost(again) == [.standard, .least, .standard])
  }
}
