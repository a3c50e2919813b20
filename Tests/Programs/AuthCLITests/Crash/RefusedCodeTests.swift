import AuthAccounts
import AuthCore
import AuthRules
import Programs
import Testing

/// What `recover` and `login` do for a code that opens nothing, without looking at a clock.
@Suite("Work for a refused code", .timeLimit(.minutes(10)))
struct RefusedCodeTests {
  /// The calls that write of a command that is refused, without their numbers, of rows of like
  /// calls the first.
  private func work(_ line: String, _ lines: String..., in home: CommandHome) async throws -> [String] {
    let run = try await CallShim.shared.value.run(
      "\(line) --password-stdin", input: lines.joined(separator: "\n") + "\n", in: home)
    try #require(run.outcome.ending == .exited(5), "\(line) \(lines.dropFirst()): \(run.outcome.text)")
    return run.calls.map(\.description).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  private func recover(_ user: String, _ code: String, in home: CommandHome) async throws -> [String] {
    try await work("recover \(user)", code, "an umbrella in the rain", in: home)
  }

  @Test("an unknown name, a wrong code, a code of somebody else and a disabled account cause the same writes")
  func sameWork() async throws {
    let wrong = String(repeating: "3", count: 25)
    let expected = try await recover("bob", wrong, in: try await CrashStart.home(.withCode))
    #expect(expected.contains("fdatasync authority.db"), "a wrong code is counted")
    for (user, code) in [("nobody", wrong), ("nobody", CrashStart.code), ("bob", CrashStart.code)] {
      let work = try await recover(user, code, in: try await CrashStart.home(.withCode))
      #expect(work == expected, "\(user)")
    }
    let disabled = try await CrashStart.home(.withCode)
    try disabled.changeDatabase("UPDATE accounts SET disabled = 1 WHERE id = 1")
    #expect(try await recover("alice", CrashStart.code, in: disabled) == expected, "disabled")
  }

  @Test("a wrong code, a used one, a recovery code of somebody else and no code at all cause the same writes")
  func sameSecondStep() async throws {
    func logIn(_ code: String, after statement: String = "") async throws -> [String] {
      let home = try await CrashStart.home(.withStep)
      try home.changeDatabase(statement)
      return try await work("login alice", CommandHome.alice, code, in: home)
    }
    let wrong = try await logIn("no code")
    #expect(wrong.contains("fdatasync authority.db"), "a wrong code is counted")
    let code = TwoStepSecret(bytes: Array(repeating: 0, count: 20), username: "alice").code(at: WallTime.now())
    let use = "UPDATE two_steps SET last_step = strftime('%s') / 30 + 1"
    #expect(try await logIn(String(decoding: code.bytes, as: UTF8.self), after: use) == wrong, "a used code")
    #expect(try await logIn(CrashStart.code, after: "UPDATE codes SET account = 2") == wrong, "a code of somebody else")
    #expect(try await logIn("aaaaa-aaaaa-aaaaa-aaaaa-aaaaa") == wrong, "a recovery code of nobody")
  }

  @Test("a wrong password causes the same writes with and without a second step")
  func sameFirstStep() async throws {
    let without = try await work(
      "login alice", "not the right password", "123456", in: try await CrashStart.home(.loggedIn))
    let with = try await work(
      "login alice", "not the right password", "123456", in: try await CrashStart.home(.withStep))
    #expect(with == without)
  }
}
