import Glibc
import Programs
import Terminals
import Testing

/// The question of `profile delete` and `accounts delete`, on a real pseudo-terminal.
@Suite("Questions of a deletion on a terminal", .timeLimit(.minutes(10)))
struct DeletionPromptTests {
  private typealias Step = Dialogue.Step
  private static let lines = ["profile delete --context bobs", "accounts delete bob"]

  /// A home in which alice and bob are logged in and bob has no money.
  private func scene() async throws -> CommandHome {
    let home = try await CommandHome(loggedIn: true)
    try await home.succeed("login bob --context bobs", as: "bob")
    try await home.succeed("pay 100 --to alice --context bobs")
    return home
  }

  private func confirm(_ answer: String, isLine: Bool = true) -> Step {
    Step(
      "This deletes the account bob for ever. Type its name to go on: ", answer, isShown: true,
      isLine: isLine)
  }

  private func isThere(_ home: CommandHome) async throws -> Bool {
    try await home.run("accounts show bob").ending == .exited(0)
  }

  @Test("the name of the account deletes it", arguments: lines)
  func confirmed(_ line: String) async throws {
    let home = try await scene()
    let (end, shown) = try await home.answer(line, [confirm("bob")])
    #expect(end == .exited(0) && shown.contains("The account bob is deleted."), "\(shown)")
    #expect(try await !isThere(home))
  }

  @Test("everything else deletes nothing: no, yes, an empty line, another name", arguments: lines)
  func refused(_ line: String) async throws {
    let home = try await scene()
    for answer in ["no", "yes", "", "Bob ", "alice"] {
      let (end, shown) = try await home.answer(line, [confirm(answer)])
      #expect(end == .exited(1), "\(answer): \(shown)")
      #expect(shown.contains("nothing was deleted: that is not the name of the account"), "\(answer): \(shown)")
      #expect(shown.contains("Type bob, or give --yes."), "\(answer): \(shown)")
    }
    #expect(try await isThere(home))
  }

  @Test("^D and ^C at the question delete nothing", arguments: lines)
  func given(_ line: String) async throws {
    let home = try await scene()
    let end = try await home.answer(line, [confirm("\u{4}", isLine: false)])
    #expect(end.end == .exited(2) && end.shown.contains("go on: \r\n"), "\(end.shown)")
    #expect(!end.shown.contains("\r\n\r\n"), "\(end.shown)")
    let interrupt = try await home.answer(line, [confirm("\u{3}", isLine: false)])
    #expect(interrupt.end == .signalled(SIGINT), "\(interrupt.shown)")
    #expect(try await isThere(home))
  }

  @Test("without a terminal --yes is needed, and with it nothing is asked", arguments: lines)
  func noTerminal(_ line: String) async throws {
    let home = try await scene()
    let refused = try await home.run(line)
    #expect(refused.ending == .exited(2), "\(refused.text)")
    #expect(refused.text.contains("there is no terminal to ask for the confirmation\nGive it with --yes."))
    #expect(try await isThere(home))
    let unasked = try await home.answer(line + " --yes", [])
    #expect(unasked.end == .exited(0) && !unasked.shown.contains("Type its name"), "\(unasked.shown)")
    #expect(try await !isThere(home))
  }

  @Test("an account with money is not deleted, and its user is told so before the question", arguments: lines)
  func withMoney(_ line: String) async throws {
    let home = try await CommandHome(loggedIn: true)
    try await home.succeed("login bob --context bobs", as: "bob")
    let steps = line.hasPrefix("accounts") ? [confirm("bob")] : []
    let (end, shown) = try await home.answer(line, steps)
    #expect(end == .exited(1) && shown.contains("the account 'bob' still has 100.00"), "\(shown)")
  }

  @Test("the password is asked for after the confirmation, when it was entered too long ago", arguments: lines)
  func notFresh(_ line: String) async throws {
    let home = try await scene()
    let name = line.hasPrefix("accounts") ? "alice" : "bob"
    try home.changeDatabase(CommandHome.Passed.freshness)
    let question = "Password for \(name): "
    let wrong = try await home.answer(line, [confirm("bob"), Step(question, "not the right password")])
    #expect(wrong.end == .exited(5), "\(wrong.shown)")
    #expect(try await isThere(home))
    let password = CommandHome.passwords[name] ?? ""
    let right = try await home.answer(line, [confirm("bob"), Step(question, password)])
    #expect(right.end == .exited(0), "\(right.shown)")
    #expect(try await !isThere(home))
  }
}
