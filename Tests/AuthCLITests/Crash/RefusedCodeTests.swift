import Programs
import Testing

/// What `recover` does for a code that opens nothing, without looking at a clock.
@Suite("Work for a refused code")
struct RefusedCodeTests {
  private static let new = "an umbrella in the rain"

  /// The calls that write, without their numbers, of rows of like calls the first.
  private func work(_ user: String, _ code: String, in home: TestHome) async throws -> [String] {
    let run = try await CallShim.shared.value.run(
      ["recover", user, "--password-stdin"], input: "\(code)\n\(Self.new)\n", in: home)
    try #require(run.outcome.ending == .exited(5), "\(user): \(run.outcome.text)")
    #expect(run.outcome.text.contains("the name and the code were not accepted"))
    return run.calls.map(\.description).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test("an unknown name, a wrong code, a code of somebody else and a disabled account cause the same writes")
  func sameWork() async throws {
    let wrong = String(repeating: "3", count: 25)
    let expected = try await work("bob", wrong, in: try await CrashStart.home(.withCode))
    #expect(expected.contains("fdatasync authority.db"), "a wrong code is counted")
    for (user, code) in [("nobody", wrong), ("nobody", CrashStart.code), ("bob", CrashStart.code)] {
      let work = try await work(user, code, in: try await CrashStart.home(.withCode))
      #expect(work == expected, "\(user)")
    }
    let disabled = try await CrashStart.home(.withCode)
    try Books.change(disabled.database, "UPDATE accounts SET disabled = 1 WHERE id = 1")
    #expect(try await work("alice", CrashStart.code, in: disabled) == expected, "disabled")
  }
}
