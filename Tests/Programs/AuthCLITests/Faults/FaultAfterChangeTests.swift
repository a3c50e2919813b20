import Programs
import Testing

/// Faults around the change that a command makes: what it says must be what is true.
@Suite("Faults after a change", .timeLimit(.minutes(10)))
struct FaultAfterChangeTests {
  private static let new = "an umbrella in the rain"
  private static let both = "\(CommandHome.alice)\n\(new)\n"
  private static let changed = "auth-cli: the password of alice is changed and all other sessions are ended; "

  /// One value of the database.
  private func query(_ home: CommandHome, _ statement: String) -> String {
    home.rows(statement).first ?? ""
  }

  private func hash(_ home: CommandHome) -> String {
    query(home, "SELECT password_hash FROM accounts WHERE name = 'alice'")
  }

  /// What changing the password writes when nothing fails.
  private static let calls = Task {
    let home = try await CrashStart.home(.loggedIn)
    return try await CallShim.shared.value.run("password --password-stdin", input: both, in: home).calls
  }

  /// The commit so many after the one that changes the password, or before it.
  ///
  /// That is the third after the first exchange of the token: the first confirms it, and the second
  /// counts the attempt of the present password.
  private func commit(_ offset: Int) async throws -> WritingCall {
    let calls = try await Self.calls.value.map(\.description)
    let exchange = try #require(calls.firstIndex(of: "rename default.session"))
    let before = calls[..<exchange].count { $0 == "fdatasync authority.db" }
    return WritingCall(number: before + 3 + offset, name: "fdatasync", file: "authority.db")
  }

  /// Changes the password of alice, who is logged in, and has a call fail.
  private func changePassword(failing: String, in home: CommandHome) async throws -> ProgramOutcome {
    let call: WritingCall
    if let offset = Int(failing) {
      call = try await commit(offset)
    } else {
      call = try #require(WritingCall.parse(failing).first)
    }
    return try await CallShim.shared.value.run(
      "password --password-stdin", input: Self.both, in: home, failing: call, amongLike: true
    ).outcome
  }

  @Test(
    "a failure after the password change says first that it was changed, and the session stays active",
    arguments: [
      "2 open default.lock", "2 unlink .default.session.new", "2 open .default.session.new",
      "2 write .default.session.new", "2 fsync .default.session.new", "2 rename default.session", "2 fsync home",
    ])
  func afterTheChange(failing: String) async throws {
    let home = try await CrashStart.home(.loggedIn)
    let before = hash(home)
    let outcome = try await changePassword(failing: failing, in: home)
    #expect(outcome.ending == .exited(3))
    #expect(
      outcome.text.hasPrefix("\(Self.changed)this session is still active, but could not be renewed: \(home.data)"),
      "\(outcome.text)")
    #expect(
      outcome.text.hasSuffix("\nUse the new password from now on. To renew this session with it: auth-cli reauth\n"))
    #expect(!outcome.text.contains("othing was changed"))
    #expect(hash(home) != before)
    try await home.succeed("status")
    try await home.succeed("reauth", password: Self.new)
  }

  @Test(
    "what fails before the password is changed leaves the old one, and what fails after the last step is made up for",
    arguments: [
      ("1 rename default.session", 3, false), ("-3", 3, false), ("-1", 3, false), ("+0", 3, false), ("+1", 0, true),
    ] as [(String, Int32, Bool)])
  func aroundTheChange(failing: String, status: Int32, changes: Bool) async throws {
    let home = try await CrashStart.home(.loggedIn)
    let before = hash(home)
    let outcome = try await changePassword(failing: failing, in: home)
    #expect(outcome.ending == .exited(status), "\(outcome.text)")
    #expect(outcome.text.contains("is changed") == changes, "\(outcome.text)")
    #expect((hash(home) != before) == changes)
    try await home.succeed("status")
  }

  @Test("a read that fails while the name is changed fails the change, and none comes after it")
  func profile() async throws {
    let home = try await CrashStart.home(.loggedIn)
    let shim = try await CallShim.shared.value
    var failures = 0
    for number in 1...100 {
      let name = "Alice\(number)"
      let outcome = try await shim.run(
        "profile --name \(name)", in: home,
        failing: WritingCall(number: number, name: "pread", file: "authority.db"), amongLike: true
      ).outcome
      let isChanged = query(home, "SELECT display_name FROM accounts WHERE name = 'alice'") == name
      #expect(isChanged == (outcome.ending == .exited(0)), "\(number): \(outcome.text)")
      if isChanged { break }
      failures += 1
    }
    #expect((3..<100).contains(failures))
  }
}
