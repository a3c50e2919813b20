import Programs
import Testing

/// What only time does to a session, as the commands tell it.
@Suite("Limits of a session", .timeLimit(.minutes(10)))
struct SessionLimitTests {
  @Test(
    "a session that is over is a no for status, with the reason, and a 'log in first' for a guarded command",
    arguments: [
      (CommandHome.Passed.idle, "expired_idle", "the session expired after too long without activity"),
      (CommandHome.Passed.absolute, "expired_absolute", "the session reached its longest duration"),
      (CommandHome.Passed.boot, "rebooted", "the machine was restarted since the session began"),
    ])
  func over(_ passing: String, _ code: String, _ reason: String) async throws {
    let home = try await CommandHome()
    for context in ["one", "two"] { try await home.succeed("login alice --context \(context)", as: "alice") }
    try home.changeDatabase(passing)
    let status = try await home.run("status --context one --json")
    #expect(status.ending == .exited(1))
    #expect(status.text.contains(#""logged_in":false,"reason":"\#(code)""#), "\(status.text)")
    let payment = try await home.run("pay 1 --to bob --context two")
    #expect(payment.ending == .exited(4))
    #expect(payment.text == "auth-cli: \(reason)\nLog in again: auth-cli --context two login USER\n")
    // Nothing is revived by asking again.
    #expect(try await home.run("status --context two --quiet").ending == .exited(1))
  }

  @Test("without a terminal what needs a recent password says how a script enters it, and changes nothing")
  func notFresh() async throws {
    let home = try await CommandHome(loggedIn: true)
    try home.changeDatabase(CommandHome.Passed.freshness)
    for line in ["pay 1 --to bob", "sessions revoke x", "accounts disable bob", "accounts unlock bob"] {
      let outcome = try await home.run(line)
      #expect(outcome.ending == .exited(4), "\(line): \(outcome.text)")
      #expect(
        outcome.text == """
          auth-cli: you entered your password too long ago for this
          Enter it again: auth-cli reauth, or auth-cli reauth --password-stdin in a script

          """)
    }
    for line in ["status", "receipts", "profile --name A", "sessions", "accounts list", "events"] {
      try await home.succeed(line)
    }
    #expect(try await home.run("accounts show bob").text.contains("State            active"))
    try await home.succeed("reauth", as: "alice")
    try await home.succeed("pay 1 --to bob")
  }

  @Test("a receipt for an idempotency key is given again without a recent password")
  func receiptWithoutFreshness() async throws {
    let home = try await CommandHome(loggedIn: true)
    let first = try await home.run("pay 1 --to bob --idempotency-key k")
    try home.changeDatabase(CommandHome.Passed.freshness)
    let second = try await home.run("pay 1 --to bob --idempotency-key k")
    #expect(first.ending == .exited(0) && first.text.contains("Paid 1.00 to bob. Receipt 3."), "\(first.text)")
    #expect(second.ending == .exited(0), "\(second.text)")
    #expect(
      second.text.contains(/Paid before: 1\.00 to bob, at .*\. Receipt 3\. Nothing was paid now\./), "\(second.text)")
  }

  @Test("after a hundred failures an account is locked, which is not disabled, until an administrator unlocks it")
  func locked() async throws {
    let home = try await CommandHome()
    try await home.succeed("login bob --context bobs", as: "bob")
    try await home.succeed("login alice", as: "alice")
    try home.changeDatabase("UPDATE accounts SET guesses = 99, attempts = 99 WHERE name = 'bob'")
    #expect(
      try await home.run("login bob --password-stdin --context x", input: "not the right one").ending == .exited(5))
    let right = CommandHome.bob
    let refused = try await home.run("login bob --password-stdin --context x --json", input: right)
    #expect(refused.ending == .exited(6))
    #expect(refused.text.contains(#""status":6,"code":"locked""#), "\(refused.text)")
    #expect(try await home.run("status --quiet --context bobs").ending == .exited(0))
    #expect(
      try await home.run("accounts show bob --json").text.contains(
        #""disabled":false,"locked":true,"wait_seconds":null"#))
    #expect(try await home.run("accounts show bob").text.contains("State            locked"))
    try await home.succeed("accounts unlock bob")
    try await home.succeed("login bob --context x", as: "bob")
  }

  @Test("the last administrator waits instead of being locked")
  func lastAdministrator() async throws {
    let home = try await CommandHome()
    try home.changeDatabase("UPDATE accounts SET guesses = 99, attempts = 99")
    _ = try await home.run("login alice --password-stdin", input: "not the right one")
    let refused = try await home.run("login alice --password-stdin", input: CommandHome.alice)
    #expect(refused.ending == .exited(6))
    #expect(refused.text.contains(/Try again in (60|59) min\./), "\(refused.text)")
  }

  @Test("writers in different contexts lose nothing")
  func contextsInParallel() async throws {
    let home = try await CommandHome()
    let contexts = (1...8).map { "c\($0)" }
    try await withThrowingTaskGroup { group in
      for context in contexts {
        group.addTask { try await home.succeed("login alice --context \(context)", as: "alice") }
      }
      try await group.waitForAll()
    }
    for context in contexts { try await home.succeed("status --context \(context)") }
    try await home.succeed("login alice", as: "alice")
    let all = try await home.run("logout --all")
    #expect(all.text == "Logged out alice, and 8 other sessions.\n")
  }
}
