import AuthBackend
import Foundation
import Glibc
import Programs
import Races
import Terminals
import Testing

/// The questions of the commands, on a real pseudo-terminal: what is asked, in which order, and
/// that no answer shows.
@Suite("Questions on a terminal", .timeLimit(.minutes(10)))
struct PromptTests {
  private typealias Step = Dialogue.Step

  static let alice = CommandHome.alice
  static let bob = CommandHome.bob

  @Test("register asks twice for the password, after the name if that is missing")
  func register() async throws {
    let home = try await CommandHome(registered: false)
    let given = try await home.answer(
      "register alice",
      [
        Step("New password for alice (at least 15 characters): ", Self.alice),
        Step("Repeat the new password: ", Self.alice),
      ])
    #expect(given.end == .exited(0) && given.shown.contains("Registered alice, the administrator."))
    let asked = try await home.answer(
      "register",
      [
        Step("Name of the new account: ", "bob", isShown: true),
        Step("New password for bob (at least 15 characters): ", Self.bob),
        Step("Repeat the new password: ", Self.bob),
      ])
    #expect(asked.end == .exited(0) && asked.shown.contains("Registered bob."))
    try await home.succeed("login bob", as: "bob")
  }

  @Test("a mistyped or refused new password is asked for again, three times in all")
  func registerRefused() async throws {
    let home = try await CommandHome(registered: false)
    let good = Step("characters): ", Self.alice)
    let mistyped = [good, Step("Repeat the new password: ", "correct horse battery stable")]
    let short = Step("characters): ", "hunter22")
    let different = try await home.answer("register alice", mistyped + mistyped + mistyped)
    #expect(different.end == .exited(2))
    #expect(different.shown.components(separatedBy: "the two passwords are not the same; try again.").count == 3)
    #expect(different.shown.contains("the two passwords are not the same\r\nRun the command again"))
    let refused = try await home.answer("register alice", [short, short, short])
    #expect(refused.end == .exited(2) && refused.shown.contains("at least 15 are needed; try again."))
    #expect(!refused.shown.contains("Repeat the new password"))
    #expect(access(home.data + "/authority.db", F_OK) != 0)
    let third = try await home.answer(
      "register alice", mistyped + [short, good, Step("Repeat the new password: ", Self.alice)])
    #expect(third.end == .exited(0) && third.shown.contains("Registered alice"), "\(third.shown)")
  }

  @Test("password goes on after one mistyped new password, and does not ask for the present one again")
  func passwordMistyped() async throws {
    let home = try await CommandHome(loggedIn: true)
    let new = "quiet meadow copper lantern"
    let (end, shown) = try await home.answer(
      "password",
      [
        Step("Password for alice: ", Self.alice),
        Step("New password for alice", new),
        Step("Repeat the new password: ", new + "x"),
        Step("New password for alice", new),
        Step("Repeat the new password: ", new),
      ])
    #expect(end == .exited(0) && shown.contains("The password of alice is changed"), "\(shown)")
  }

  @Test("a name that breaks the rule is refused with the rule, and no password is asked for", arguments: ["", "a b"])
  func nameRefused(_ name: String) async throws {
    let home = try await CommandHome()
    for (line, question) in [("login", "User: "), ("register", "Name of the new account: ")] {
      let asked = try await home.answer(line, [Step(question, name, isShown: true)])
      #expect(asked.end == .exited(2), "\(line): \(asked.shown)")
      #expect(asked.shown.contains("'\(name)' is not a user name"), "\(line): \(asked.shown)")
      #expect(asked.shown.contains("Use \(Username.rule)."), "\(line): \(asked.shown)")
    }
  }

  @Test(
    "after ^D the message begins on a line of its own",
    arguments: [
      ("login", "User: "), ("login alice", "Password for alice: "), ("register", "Name of the new account: "),
    ])
  func endOfInput(_ line: String, _ question: String) async throws {
    let home = try await CommandHome()
    let (end, shown) = try await home.play(line) { terminal in
      try terminal.expect(question)
      try terminal.send("\u{4}")
    }
    #expect(end == .exited(2))
    #expect(shown.contains(question + "\r\n") && !shown.contains("\r\n\r\n"), "\(shown)")
  }

  @Test("a taken name and a missing database are reported before the password is asked for")
  func refusedUnasked() async throws {
    let home = try await CommandHome()
    let taken = try await home.answer("register Alice", [])
    #expect(taken.end == .exited(1) && taken.shown.contains("the name 'alice' is taken"), "\(taken.shown)")
    let askedFor = try await home.answer("register", [Step("Name of the new account: ", "bob", isShown: true)])
    #expect(askedFor.end == .exited(1) && askedFor.shown.contains("the name 'bob' is taken"), "\(askedFor.shown)")
    let empty = try await CommandHome(registered: false)
    for line in ["login", "login alice", "login alice --switch"] {
      let nobody = try await empty.answer(line, [])
      #expect(nobody.end == .exited(3) && nobody.shown.contains("there are no accounts yet"), "\(nobody.shown)")
    }
    #expect(access(empty.data, F_OK) != 0)
  }

  @Test("login asks for the name in the open, then for the password in silence")
  func logIn() async throws {
    let home = try await CommandHome()
    let (end, shown) = try await home.answer(
      "login",
      [
        Step("User: ", "alice", isShown: true),
        Step("Password for alice: ", Self.alice),
      ])
    #expect(end == .exited(0) && shown.contains("Logged in as alice."))
    // Somebody else is refused before a password is asked for.
    let other = try await home.answer("login bob", [])
    #expect(other.end == .exited(1) && other.shown.contains("alice is logged in here"))
    let switched = try await home.answer("login bob --switch", [Step("Password for bob: ", Self.bob)])
    #expect(switched.end == .exited(0) && switched.shown.contains("Switched to bob."))
  }

  @Test("a session that ends while the switch to another user waits for the password is no obstacle")
  func switchAfterEnd() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice", as: "alice")
    let (terminal, other) = (try PseudoTerminal(), try PseudoTerminal())
    try await onOwnThread {
      let login = try terminal.launch(home.words("login bob --switch"), environment: home.environment)
      try terminal.expect("Password for bob: ")
      let logOut = try other.launch(home.words("logout"), environment: home.environment)
      try other.expect("Logged out alice")
      #expect(try logOut.wait() == .exited(0))
      try terminal.send(Self.bob + "\n")
      try terminal.expect("Logged in as bob")
      #expect(try login.wait() == .exited(0))
    }
  }

  @Test("pay asks for the password when it is no longer fresh: wrong pays nothing, right pays once")
  func pay() async throws {
    let home = try await CommandHome(loggedIn: true)
    let fresh = try await home.answer("pay 1 --to bob", [])
    #expect(fresh.end == .exited(0) && fresh.shown.contains("Paid 1.00 to bob."))
    try home.changeDatabase(CommandHome.Passed.freshness)
    let wrong = try await home.answer("pay 2 --to bob", [Step("Password for alice: ", "not the right password")])
    #expect(wrong.end == .exited(5) && wrong.shown.contains("wrong password\r\n"), "\(wrong.shown)")
    #expect(wrong.shown.contains("that you entered within the last 15 min.\r\nPassword for alice: "))
    #expect(try await home.run("profile").text.contains("Balance   99.00"))
    let right = try await home.answer("pay 2 --to bob", [Step("Password for alice: ", Self.alice)])
    #expect(right.end == .exited(0) && right.shown.contains("Paid 2.00 to bob."))
    // The session is fresh again.
    let again = try await home.answer("pay 2 --to bob", [])
    #expect(again.end == .exited(0))
    #expect(try await home.run("profile").text.contains("Balance   95.00"))
  }

  @Test("what else needs a recent password asks for it in the same way")
  func others() async throws {
    let home = try await CommandHome(loggedIn: true)
    for line in ["accounts disable bob", "accounts enable bob", "accounts unlock bob"] {
      try home.changeDatabase(CommandHome.Passed.freshness)
      let (end, shown) = try await home.answer(line, [Step("Password for alice: ", Self.alice)])
      #expect(end == .exited(0), "\(line): \(shown)")
    }
    try home.changeDatabase(CommandHome.Passed.freshness)
    let (end, shown) = try await home.answer("sessions revoke nothing", [Step("Password for alice: ", Self.alice)])
    #expect(end == .exited(1) && shown.contains("you have no active session 'nothing'"))
  }

  @Test("reauth asks for the password, and a wrong one leaves the session as it was")
  func reauth() async throws {
    let home = try await CommandHome(loggedIn: true)
    let wrong = try await home.answer("reauth", [Step("Password for alice: ", "something else")])
    #expect(wrong.end == .exited(5) && wrong.shown.contains("wrong password\r\n"), "\(wrong.shown)")
    let right = try await home.answer("reauth", [Step("Password for alice: ", Self.alice)])
    #expect(right.end == .exited(0) && right.shown.contains("confirmed; you will not be asked again for 15 min."))
    try await home.succeed("logout")
    let nobody = try await home.answer("reauth", [])
    #expect(nobody.end == .exited(4))
  }

  @Test("password asks for the present one and twice for the new one")
  func password() async throws {
    let home = try await CommandHome(loggedIn: true)
    let new = "quiet meadow copper lantern"
    let (end, shown) = try await home.answer(
      "password",
      [
        Step("Password for alice: ", Self.alice),
        Step("New password for alice (at least 15 characters): ", new),
        Step("Repeat the new password: ", new),
      ])
    #expect(end == .exited(0) && shown.contains("The password of alice is changed"))
    #expect(try await home.run("login alice --password-stdin --context x", input: new).ending == .exited(0))
    #expect(try await home.run("login alice --password-stdin --context y", input: Self.alice).ending == .exited(5))
  }

  @Test("after five wrong answers the right one is not looked at, and the wait is said")
  func throttled() async throws {
    let home = try await CommandHome()
    try home.changeDatabase("UPDATE accounts SET guesses = 4, attempts = 4 WHERE name = 'alice'")
    let step = Step("Password for alice: ", Self.alice)
    let fifth = try await home.answer("login alice", [Step(step.question, "a wrong password")])
    #expect(fifth.end == .exited(5))
    let right = try await home.answer("login alice", [step])
    #expect(right.end == .exited(6))
    #expect(right.shown.contains(/Try again in (30|[12]\d) s\./), "\(right.shown)")
  }

  @Test("--password-stdin on a terminal says what it awaits, and does not show it")
  func passwordFromTerminal() async throws {
    let home = try await CommandHome()
    let question = "Reading the password from standard input; it does not show: "
    let logIn = try await home.answer("login alice --password-stdin", [Step(question, Self.alice)])
    #expect(logIn.end == .exited(0))
    let reauth = try await home.answer("reauth --password-stdin", [Step(question, Self.alice)])
    #expect(reauth.end == .exited(0))
    let password = try await home.answer(
      "password --password-stdin",
      [
        Step("Reading the current password from standard input; it does not show: ", Self.alice),
        Step("Reading the new password from standard input; it does not show: ", Self.bob),
      ])
    #expect(password.end == .exited(0))
  }

  @Test("a session that ends elsewhere while the password is asked for pays nothing")
  func endedDuringQuestion() async throws {
    let home = try await CommandHome(loggedIn: true)
    try home.changeDatabase(CommandHome.Passed.freshness)
    let terminal = try PseudoTerminal()
    let program = try terminal.launch(home.words("pay 1 --to bob"), environment: home.environment)
    _ = try await onOwnThread { try terminal.expect("Password for alice: ") }
    try await home.succeed("logout")
    try terminal.send(Self.alice + "\n")
    let shown = try await onOwnThread { try terminal.expectEnd() }
    #expect(try program.wait() == .exited(4))
    #expect(shown.contains("the session was ended by logging out"), "\(shown)")
    try await home.succeed("login alice", as: "alice")
    #expect(try await home.run("profile").text.contains("Balance   100.00"))
  }
}
