import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import Programs
import Races
import Synchronization
import Terminals
import Testing

/// What a right code opens: in scripts and on a terminal.
@Suite("A login in two steps, by the program", .timeLimit(.minutes(10)))
struct TwoStepProgramTests {
  private typealias Step = Dialogue.Step
  private static let alice = "marble kettle window harvest"
  private static let code = "Authenticator or recovery code: "

  /// A home in which alice has a second step and recovery codes, and is logged in.
  private struct Scene: Sendable {
    let home: CommandHome
    let secret: TwoStepSecret
    let recoveryCodes: [String]

    init() async throws {
      home = try await CommandHome()
      try await home.succeed("login alice", as: "alice")
      recoveryCodes = try await home.run("recovery-codes --quiet").text.split(separator: "\n").map(String.init)
      let shown = try await home.run("two-step on --quiet").text.split(separator: "\n").map(String.init)
      let secret = TwoStepSecret(bytes: try #require(Self.bytes(shown.first ?? "")), username: "alice")
      self.secret = secret
      #expect(shown == [secret.text, secret.uri])
      let confirmed = try await home.run("two-step on --code-stdin") { Self.code(of: secret, stepsAhead: 0) }
      #expect(confirmed.text.contains("The second step of alice is on."), "\(confirmed.text)")
    }

    /// The code of the next time step, which is accepted from now on for a minute at least, and was
    /// not used before.
    func code() -> String { Self.code(of: secret, stepsAhead: 1) }

    static func code(of secret: TwoStepSecret, stepsAhead: Int64) -> String {
      let time = WallTime(microseconds: WallTime.now().microseconds + stepsAhead * TOTP.period * 1_000_000)
      return String(decoding: secret.code(at: time).bytes, as: UTF8.self)
    }

    /// Reads base 32.
    static func bytes(_ text: String) -> [UInt8]? {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
      var bits: [Int] = []
      for character in text {
        guard let value = alphabet.firstIndex(of: character) else { return nil }
        bits += (0..<5).map { value >> (4 - $0) & 1 }
      }
      return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
        UInt8(bits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
      }
    }
  }

  @Test("a script gives the code as the second line; none is 5 and not counted, and a code opens once")
  func script() async throws {
    let scene = try await Scene()
    let home = scene.home
    func run(_ line: String, _ lines: String...) async throws -> (Int32, String) {
      let outcome = try await home.run(line, input: lines.joined(separator: "\n"))
      guard case .exited(let status) = outcome.ending else { throw PseudoTerminal.Failure(description: outcome.text) }
      return (status, outcome.text)
    }
    let none = try await run("login alice --password-stdin", Self.alice)
    #expect(none.0 == 5 && none.1.contains("the password is right, and a code is needed too"), "\(none)")
    let document = try await run("login alice --password-stdin --json", Self.alice)
    #expect(document.0 == 5 && document.1.contains(#""code":"code_missing""#), "\(document)")
    let wrong = try await run("login alice --password-stdin", Self.alice, "no code")
    #expect(wrong.0 == 5 && wrong.1.contains("auth-cli: wrong code"), "\(wrong)")
    let typed = Mutex("")
    let login = try await home.run("login alice --password-stdin") {
      let code = scene.code()
      typed.withLock { $0 = code }
      return Self.alice + "\n" + code
    }
    #expect(login.ending == .exited(0) && login.text.contains("Renewed the session of alice"), "\(login.text)")
    let right = typed.withLock { $0 }
    let again = try await run("reauth --password-stdin", Self.alice, right)
    #expect(again.0 == 5 && again.1.contains("wrong code"), "\(again)")
    let spare = try await run("reauth --password-stdin", Self.alice, scene.recoveryCodes[0])
    #expect(spare.0 == 0, "\(spare)")
    let failed = try await run("accounts show alice --json")
    #expect(failed.1.contains(#""failed_attempts":0"#), "\(failed)")
    let new = "quiet meadow copper lantern"
    let changed = try await run("password --password-stdin", Self.alice, new, scene.recoveryCodes[1])
    #expect(changed.0 == 0 && changed.1.contains("is changed"), "\(changed)")
    let switched = try await run("login bob --switch --password-stdin", "paper lantern river orchard", "123456")
    #expect(switched.0 == 0 && switched.1.contains("no code was asked for"), "\(switched)")
    let back = try await run("login alice --switch --password-stdin", new, scene.recoveryCodes[2])
    #expect(back.0 == 0 && back.1.contains("Switched to alice"), "\(back)")
    let off = try await run("two-step off --code-stdin", scene.recoveryCodes[3])
    #expect(off.0 == 0, "\(off)")
    let events = try await run("events --json --limit 1000")
    for secret in scene.recoveryCodes + [right, scene.secret.text] {
      #expect(!events.1.contains(secret), "\(secret)")
    }
    #expect(try await run("reauth --password-stdin", new).0 == 0)
  }

  @Test("on a terminal the code is asked for in silence, and again while tries are left")
  func terminal() async throws {
    let scene = try await Scene()
    let password = Step("Password for alice: ", Self.alice)
    let wrong = Step(Self.code, "no code at all")
    let first = try await scene.home.answer(
      "login alice",
      [
        Step(password.question, ""), password, Step(Self.code, ""), wrong,
        Step(Self.code, scene.code()),
      ])
    #expect(first.shown.matches(of: /nothing was entered; try again\./).count == 2, "\(first.shown)")
    #expect(first.end == .exited(0) && first.shown.contains("wrong code; 2 more tries."), "\(first.shown)")
    #expect(first.shown.contains("Renewed the session of alice"))
    let over = try await scene.home.answer("login alice", [password, wrong, wrong, wrong])
    #expect(over.end == .exited(5) && over.shown.contains("wrong code; 1 more try."), "\(over.shown)")
    #expect(over.shown.contains("the password is needed again"))
    let left = try await scene.home.answer("login alice", [password, Step(Self.code, "\u{4}", isLine: false)])
    #expect(left.end == .exited(2), "\(left.shown)")
    try scene.home.changeDatabase("UPDATE sessions SET fresh_until = 0")
    let paid = try await scene.home.answer("pay 1 --to bob", [password, Step(Self.code, scene.recoveryCodes[0])])
    #expect(paid.end == .exited(0) && paid.shown.contains("Paid 1.00 to bob"), "\(paid.shown)")
    let off = try await scene.home.answer("two-step off", [Step(Self.code, scene.recoveryCodes[1])])
    #expect(off.end == .exited(0) && off.shown.contains("The second step of alice is off."), "\(off.shown)")
  }

  @Test("on a terminal it begins with the code of the secret that is shown, and asks for it three times")
  func begin() async throws {
    let home = try await CommandHome(loggedIn: true)
    let wrong = Step("Authenticator code: ", "no code at all")
    let given = try await home.answer("two-step on", [wrong, wrong, wrong])
    #expect(given.end == .exited(5) && given.shown.contains("otpauth://totp/auth-cli:alice?secret="), "\(given.shown)")
    #expect(given.shown.contains("wrong code; 1 more try."), "\(given.shown)")
    #expect(given.shown.contains("The secret stays valid"), "\(given.shown)")
    let shown = try #require(given.shown.firstMatch(of: /secret=([A-Z2-7]{32})&/)).output.1
    let secret = TwoStepSecret(bytes: try #require(Scene.bytes(String(shown))), username: "alice")
    // The app has that secret, so the next run goes on with it.
    let pending = Step("or Enter for a new secret: ", "\u{4}", isLine: false)
    let left = try await home.answer("two-step on", [pending])
    #expect(left.end == .exited(2) && left.shown.contains("with auth-cli two-step on\r\n"), "\(left.shown)")
    #expect(try await home.run("two-step status --json").text.contains(#""two_step":"pending""#))
    let right = try await home.answer("two-step on", [Step(pending.question, Scene.code(of: secret, stepsAhead: 0))])
    #expect(right.end == .exited(0) && right.shown.contains("The second step of alice is on."), "\(right.shown)")
    #expect(!right.shown.contains("otpauth:"), "\(right.shown)")
  }

  @Test("Enter makes a new secret of one that waits, which says that the old one is void")
  func beginAgain() async throws {
    let home = try await CommandHome(loggedIn: true)
    _ = try await home.run("two-step on --json")
    let again = try await home.answer(
      "two-step on",
      [
        Step("or Enter for a new secret: ", ""),
        Step("Authenticator code: ", "\u{4}", isLine: false),
      ])
    #expect(again.shown.contains("The secret that was shown before is void."), "\(again.shown)")
    #expect(again.shown.contains("otpauth:"), "\(again.shown)")
  }

  /// Waits for the question, and answers it with a code of the secret that was shown.
  private func answerWithShownSecret(_ terminal: PseudoTerminal) throws {
    try terminal.expect("Authenticator code: ")
    let shown = try #require(terminal.transcript.firstMatch(of: /secret=([A-Z2-7]{32})&/)).output.1
    let secret = TwoStepSecret(bytes: try #require(Scene.bytes(String(shown))), username: "alice")
    try terminal.send(Scene.code(of: secret, stepsAhead: 0) + "\n")
  }

  @Test("turning it on offers to end the other sessions, and says nothing where there are none")
  func otherSessions() async throws {
    for (typed, count) in [("", 3), ("yes", 1)] {
      let home = try await CommandHome()
      for context in ["default", "laptop", "phone"] {
        try await home.succeed("login alice --context \(context)", as: "alice")
      }
      let (end, shown) = try await home.play("two-step on", columns: 200) { terminal in
        try answerWithShownSecret(terminal)
        try terminal.expect("Type yes to end your 2 other sessions, or Enter to keep: ")
        try terminal.send(typed + "\n")
      }
      #expect(end == .exited(0), "\(shown)")
      #expect(shown.contains("Ended your 2 other sessions.") == (typed == "yes"), "\(shown)")
      let left = try await home.run("sessions --short").text.split(separator: "\n").count
      #expect(left == count, "\(shown)")
    }
  }

  @Test("an error that is not about the code keeps its own hint, also after a wrong code")
  func turnedOnMeanwhile() async throws {
    let home = try await CommandHome(loggedIn: true)
    let (end, shown) = try await home.play("two-step on", columns: 200) { terminal in
      try terminal.expect("Authenticator code: ")
      try terminal.send("no code at all\n")
      try terminal.expect("wrong code; 2 more tries.")
      try terminal.expect("Authenticator code: ")
      // As another terminal does with the same secret.
      try home.changeDatabase("UPDATE two_steps SET last_step = 0, since = 0")
      try terminal.send("no code at all\n")
    }
    #expect(end == .exited(1) && shown.contains("the second step is on already"), "\(shown)")
    #expect(shown.contains("turn it off first: auth-cli two-step off"), "\(shown)")
    #expect(!shown.contains("The second step is not on"), "\(shown)")
  }

  @Test("qrencode draws the code, and gets the URI through a pipe: neither as a word nor in its environment")
  func qrCode() async throws {
    let home = try await CommandHome(loggedIn: true)
    let scratch = try ScratchDirectory()
    let seen = "\(scratch.path)/seen"
    // Another process writes it. Programs that start meanwhile would have a file open that this one
    // writes, and such a file cannot be run.
    let stub = """
      umask 077
      cat >'\(scratch.path)/qrencode' <<'END'
      #!/bin/sh
      { echo "words: $*"; env; } >'\(seen)'
      echo "DRAWN $(cat) END"
      END
      chmod 700 '\(scratch.path)/qrencode'
      """
    let made = try await Program("sh", ["-c", stub], timeLimit: .seconds(60)).run()
    try #require(made.ending == .exited(0), "\(made.text)")
    let path = ["PATH": "\(scratch.path):/usr/bin:/bin"]
    let (end, shown) = try await home.play("two-step on", columns: 200, adding: path) { terminal in
      try terminal.expect("Authenticator code: ")
      try terminal.send("\u{4}")
    }
    #expect(end == .exited(2))
    #expect(
      shown.contains(/DRAWN otpauth:\/\/totp\/auth-cli:alice\?secret=[A-Z2-7]{32}&issuer=auth-cli END/), "\(shown)")
    let told = try String(contentsOfFile: seen, encoding: .utf8)
    #expect(told.hasPrefix("words: -t ANSIUTF8 -m 2 -o -\n") && !told.contains("otpauth"), "\(told)")
    _ = scratch
  }

  @Test("an administrator who must have a second step is led to set it up by the login on a terminal")
  func required() async throws {
    let home = try await CommandHome()
    try home.changeDatabase("UPDATE authority SET two_step_required = 1")
    let (end, _) = try await home.play("login alice", columns: 200) { terminal in
      try terminal.expect("Password for alice: ")
      try terminal.send(Self.alice + "\n")
      try terminal.expect("Logged in as alice.")
      try terminal.expect("Administrators need a second step.")
      try answerWithShownSecret(terminal)
      try terminal.expect("The second step of alice is on.")
    }
    #expect(end == .exited(0))
    #expect(try await home.run("accounts list --short").ending == .exited(0))
  }

  @Test("an administrator sees who has a second step, and whom a change holds up, before it is made")
  func whoHasOne() async throws {
    let home = try await Scene().home
    #expect(try await home.run("accounts show alice").text.contains("\nSecond step      on\n"))
    #expect(try await home.run("accounts show bob --json").text.contains(#""two_step":"off""#))
    let list = try await home.run("accounts list").text
    #expect(list.contains(#/alice +administrator +active +on /#), "\(list)")
    #expect(list.contains(#/bob +member +active +off /#), "\(list)")
    #expect(try await !home.run("accounts two-step").text.contains("without one"))
    #expect(try await !home.run("accounts promote bob").text.contains("has no second step"))
    let shown = try await home.run("accounts two-step").text
    #expect(shown.contains("Administrators without one: bob."), "\(shown)")
    let required = try await home.run("accounts two-step required").text
    #expect(
      required.contains(
        /These administrators have no second step, and can then only set one up: bob\.\n(.|\n)*is required/),
      "\(required)")
    try await home.succeed("accounts demote bob")
    let promoted = try await home.run("accounts promote bob").text
    let sentence = "bob has no second step, and must set one up before doing anything else.\n"
    #expect(promoted.contains(sentence) && promoted.contains(/anything else\.\n(.|\n)*bob is an/), "\(promoted)")
  }

  @Test("the statement of the threat model turns off the second step of a lost device")
  func lostDevice() async throws {
    let scene = try await Scene()
    let article = try String(
      contentsOfFile: BuiltExecutable.repository + "/Sources/AuthProgram/AuthProgram.docc/ThreatModel.md",
      encoding: .utf8)
    let statement = try #require(article.split(separator: "\n").first { $0.contains("DELETE FROM two_steps") })
    try scene.home.changeDatabase(String(statement))
    #expect(try await scene.home.run("two-step status").text.hasPrefix("Off."))
    try await scene.home.succeed("logout")
    try await scene.home.succeed("login alice", as: "alice")
  }

  @Test("after five wrong codes the next is not checked, and the message says so")
  func throttled() async throws {
    let scene = try await Scene()
    try scene.home.changeDatabase("UPDATE accounts SET guesses = 4, failures = 4, attempts = 4 WHERE name = 'alice'")
    let password = Step("Password for alice: ", Self.alice)
    let wrong = Step(Self.code, "no code at all")
    let right = Step(Self.code, scene.recoveryCodes[0])
    let (end, shown) = try await scene.home.answer("login alice", [password, wrong, right])
    #expect(end == .exited(6), "\(shown)")
    #expect(shown.contains("too many wrong passwords or codes, so this one was not checked"), "\(shown)")
  }

  @Test(
    "oathtool logs in from a script", .enabled(if: Self.hasOATHTool, "oathtool is not installed (Debian: oathtool)"))
  func independent() async throws {
    let home = try await CommandHome()
    let script = """
      set -e
      echo "$password" | auth-cli login alice --password-stdin --quiet
      secret=$(auth-cli two-step on | head -n 1)
      oathtool --totp -b "$secret" | auth-cli two-step on --code-stdin --quiet
      auth-cli logout --quiet
      # That code is used up; the next one is accepted already.
      { echo "$password"; oathtool --totp --now 'now + 30 seconds' -b "$secret"; } | auth-cli login alice --password-stdin
      auth-cli status --short
      """
    let environment = home.environment.merging(
      ["password": Self.alice, "PATH": "\((home.executable as NSString).deletingLastPathComponent):/usr/bin:/bin"]
    ) { $1 }
    let outcome = try await Program("sh", ["-c", script], environment: environment, timeLimit: .seconds(60)).run()
    #expect(outcome.ending == .exited(0) && outcome.text.hasSuffix("\nalice\n"), "\(outcome.text)")
  }

  private static let hasOATHTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/oathtool")
}
