import AuthBackend
import AuthDevice
import AuthSQLite
import Glibc
import Races
import Terminals
import Testing
import TextFormat

@testable import AuthProgram
@testable import CommandLineKit

/// The full-screen program itself, on a pseudo-terminal, as a person has it.
@Suite("The full-screen program on a terminal", .timeLimit(.minutes(10)))
struct AppTerminalTests {
  private static let alice = "marble kettle window harvest"
  private static let bob = "paper lantern river orchard"

  /// Runs a line of a shell as another terminal would.
  private func elsewhere(_ home: CommandHome, _ line: String) throws {
    let function = "auth-cli() { '\(home.executable)' \"$@\"; }; "
    let shell = try TerminalProcess(
      ["/bin/bash", "-c", function + "{ \(line); } >/dev/null 2>&1"], environment: home.environment)
    #expect(try shell.wait() == .exited(0), "\(line)")
  }

  /// Leaves a page that takes nothing before a pause, and then Esc.
  private func leave(_ terminal: PseudoTerminal, to text: String) throws {
    let hint = "Enter or Esc: go on"
    while try !terminal.expectScreen("a page that can be left", { $0.text.contains(text) || $0.text.contains(hint) })
      .text.contains(text)
    {
      // Either the page goes, or the pause begins again.
      try terminal.send("\u{1B}")
      try terminal.expectScreen("no page that can be left") { !$0.text.contains(hint) }
    }
  }

  /// What remains on the terminal: the screen of the shell, with its cursor.
  private func expectNormalScreen(_ shown: String) {
    var screen = SmallScreen(columns: 80, rows: 24)
    screen.feed(shown.utf8)
    #expect(screen.modes == [7, 25])
  }

  /// Runs the program in a home while `story` types, leaves it with q, and returns all that was
  /// shown.
  @discardableResult
  private func play(
    _ home: CommandHome, columns: Int = 80, adding variables: [String: String] = [:],
    _ story: @escaping @Sendable (PseudoTerminal) throws -> Void
  ) async throws -> String {
    let (end, shown) = try await home.play("app", columns: columns, adding: variables) { terminal in
      try story(terminal)
      try terminal.send("q")
    }
    #expect(end == .exited(0))
    expectNormalScreen(shown)
    return shown
  }

  @Test("register, log in, pay, see a logout from another terminal close the screen, quit")
  func wholeStory() async throws {
    let home = try await CommandHome(registered: false, executable: BuiltExecutable.shipped)
    try await play(home) { terminal in
      try terminal.expectScreen("> Create the first account")
      try terminal.type("\r", until: "Create an account")
      for line in ["alice", Self.alice, Self.alice] { try terminal.send(line + "\r") }
      try terminal.expectScreen("Created alice, the administrator. Logged in as alice.")
      #expect(!terminal.transcript.contains("kettle"))
      try terminal.expectScreen("Welcome, alice.")
      try elsewhere(home, "echo 'paper lantern river orchard' | auth-cli register bob --password-stdin")
      try terminal.type("2", until: "Pay somebody")
      try terminal.expectScreen("Your balance is 100.00.")
      try terminal.type("bob\r12.50\r", until: "Pay 12.50 to bob? After this you have 87.50. y/n")
      try terminal.type("y", until: "Paid 12.50 to bob.")
      try terminal.expectScreen("Your balance is 87.50.")
      try terminal.type("\u{1B}", until: "Welcome, alice.")
      try terminal.type("3", until: "-12.50")
      // A press of the mouse on the row opens its details, and a letter copies its number.
      let row = try terminal.screen().frame.lines.firstIndex { $0.contains("-12.50") } ?? 0
      try terminal.type("\u{1B}[<0;5;\(row + 1)M\u{1B}[<0;5;\(row + 1)m", until: "> Pay again")
      try terminal.type("y", until: "Copied 3, if your terminal allows it.")
      #expect(terminal.transcript.contains("\u{1B}]52;c;Mw==\u{7}"))
      try terminal.type("\u{1B}", until: "-12.50")
      try elsewhere(home, "auth-cli logout")
      let closed = try terminal.expectScreen("You were logged out in another terminal.")
      #expect(closed.text.contains("[1 Home]"))
      try terminal.expectScreen("[Log in]")
      #expect(closed.unknown.isEmpty)
      try leave(terminal, to: "Welcome. Nobody is logged in.")
    }
  }

  @Test("what is typed across a logout from another terminal reaches neither the screen nor the shell")
  func typedAcrossLogout() async throws {
    let home = try await CommandHome(loggedIn: true)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      var environment = home.environment
      environment["PS1"] = "shell> "
      let shell = try terminal.launch(["/bin/bash", "--norc", "--noprofile", "-i"], environment: environment)
      try terminal.expect("shell> ")
      try terminal.type("'\(home.executable)' app\n", until: "Welcome, alice.")
      try terminal.type("\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[B\r", until: "Present password")
      try terminal.send("correct horse")
      try elsewhere(home, "auth-cli logout")
      try terminal.expectScreen("You were logged out in another terminal.")
      try terminal.send(" lhunter2\rq echo hunter2\r")
      try leave(terminal, to: "Welcome. Nobody is logged in.")
      try terminal.send("q")
      try terminal.expectScreen { !$0.modes.contains(1049) }
      try terminal.send("exit\n")
      #expect(try shell.wait() == .exited(0))
      #expect(!terminal.transcript.contains("hunter2") && !terminal.transcript.contains("Username"))
    }
  }

  @Test(
    "a password that was typed or pasted is nowhere in memory once its form is left",
    .enabled(if: geteuid() == 0, "only root may read the memory of the program"))
  func forgets() async throws {
    let home = try await CommandHome()
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Welcome. Nobody is logged in.")
      for typed in ["zinc meadow copper 91é", "\u{1B}[200~zinc meadow copper 91é\u{1B}[201~"] {
        try terminal.type("lalice\r\(typed)", until: "(typed, not shown)")
        // The read that brought it is wiped after it was drawn at the latest.
        #expect(try ProcessMemory.count("zinc meadow", in: app.id) == 1)
        try terminal.type("\u{1B}", until: "Welcome. Nobody is logged in.")
        #expect(try ProcessMemory.count("zinc meadow", in: app.id) == 0)
      }
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("an administrator creates, changes and deletes accounts, and closes the registration")
  func administers() async throws {
    let home = try await CommandHome(loggedIn: true)
    try await play(home) { terminal in
      try terminal.expectScreen("Welcome, alice.")
      try terminal.type("8", until: "> Create an account")
      let code = try terminal.type("\rdave\r", until: "Give this one-time code to dave:")
      #expect(code.text.contains("auth-cli recover dave"))
      try leave(terminal, to: "> Create an account")
      try terminal.expectScreen("  dave ")
      try terminal.type("\u{1B}[B\ry", until: "Registration is closed now.")
      try elsewhere(home, "[[ $(auth-cli accounts registration) == *closed* ]]")
      // Names are in order: dave is the last, and bob is before him.
      try terminal.type("\u{1B}[F\u{1B}[A\r\u{1B}[B\u{1B}[B\r", until: "Disable bob, and end all its sessions? y/n")
      // The wheel of a mouse, and answers of the terminal, are no keys.
      try terminal.type(
        "\u{1B}[M`%%\u{1B}[<64;5;5M\u{1B}[96;5;5M\u{1B}]52;c;eQ==\u{7}\u{1B}yy", until: "bob is disabled now.")
      try elsewhere(home, "[[ $(auth-cli accounts show bob) == *disabled* ]]")
      try terminal.expectScreen("> Enable")
      try terminal.type("\ry", until: "bob is enabled now.")
      try terminal.expectScreen("Disable, and end all sessions")
      try terminal.type("\u{1B}[F\rbob\r", until: "The account 'bob' still has 100.00.")
      try elsewhere(
        home,
        "echo '\(Self.bob)' | auth-cli login bob --context bob --password-stdin; "
          + "auth-cli pay 100 --to alice --context bob")
      try terminal.type("\r", until: "The account bob is deleted.")
      // She is the last administrator.
      try terminal.type(
        "\u{1B}[H\u{1B}[B\u{1B}[B\u{1B}[B\r", until: "The last administrator cannot be disabled, demoted or deleted.")
      // Nor has she a second step.
      try terminal.type("\u{1B}", until: "A second step is optional")
      try terminal.send("\u{1B}[A\ry")
      try terminal.expectScreen("Home, and that the change is made") {
        $0.text.contains("[1 Home]") && $0.text.contains("of administrators now. You have none: set yours up")
      }
      // The registration was closed above.
      try terminal.send("ly")
      try terminal.expectScreen("Home, and that the logout is done") {
        $0.text.contains("> Log in") && $0.text.contains("Logged out.")
      }
      try terminal.send("\u{1B}[B\r")
      try terminal.expectScreen("a refusal in place of the form") {
        $0.text.contains("Registration is closed. Ask an administrator to create the account.")
          && !$0.text.contains("Repeat it")
      }
      try leave(terminal, to: "> Create an account")
    }
  }

  @Test("a login in two steps asks for a code, and so does a payment whose password is old; Esc gives it up")
  func secondStep() async throws {
    let home = try await CommandHome()
    let codes = ["2", "3"].map { String(repeating: $0, count: 25) }
    try home.changeDatabase("INSERT INTO two_steps(account, secret, last_step, since) VALUES (1, zeroblob(20), 0, 0)")
    for code in codes {
      let hash = Hex.text(SHA256.hash(RecoveryCode(typed: Array(code.utf8)).canonical))
      try home.changeDatabase("INSERT INTO codes(account, code_hash) VALUES (1, x'\(hash)')")
    }
    let shown = try await play(home) { terminal in
      try terminal.expectScreen("Welcome. Nobody is logged in.")
      try terminal.type("lalice\r\(Self.alice)\r", until: "Enter a code of your authenticator app, or a recovery code")
      try terminal.type("not a code\r", until: "Wrong code.")
      try terminal.type("\(codes[0])\r", until: "Welcome, alice.")
      try home.changeDatabase("UPDATE sessions SET fresh_until = 0")
      try terminal.type("2", until: "Your balance is 100.00.")
      try terminal.type("bob\r1\r", until: "Pay 1.00 to bob? After this you have 99.00. y/n")
      try terminal.type("y", until: "Enter your password again to go on")
      try terminal.type("\(Self.alice)\r", until: "Enter a code of your authenticator app, or a recovery code")
      try terminal.type("\u{1B}", until: "Nothing was changed.")
      try terminal.expectScreen("Enter your password again to go on")
      try terminal.type("\(Self.alice)\r", until: "Enter a code of your authenticator app, or a recovery code")
      try terminal.type("\(codes[1])\r", until: "Paid 1.00 to bob.")
      try terminal.type("\u{1B}", until: "Welcome, alice.")
    }
    for secret in codes + ["kettle"] { #expect(!shown.contains(secret)) }
  }

  @Test("recovery codes are made in the Profile tab, and one of them sets a new password and logs in")
  func recovers() async throws {
    let home = try await CommandHome(loggedIn: true)
    try await play(home) { terminal in
      try terminal.expectScreen("Welcome, alice.")
      try terminal.type("4", until: "off: set it up")
      try terminal.type("\u{1B}[F\u{1B}[A\r", until: "Make ten recovery codes?")
      let shown = try terminal.type("y", until: "they are not shown again")
      let code = shown.frame.lines[3].prefix(29)
      try leave(terminal, to: "make new ones")
      try terminal.type("ly", until: "Logged out.")
      try terminal.type("lalice\u{12}", until: "Set a new password with a code")
      try terminal.type(
        "\(code)\rcedar window mosaic falcon\rcedar window mosaic falcon\r",
        until: "The new password is set; all sessions are ended. Logged in as alice.")
    }
  }

  @Test("a login and a new name from another terminal show at once")
  func live() async throws {
    let home = try await CommandHome()
    try await play(home) { terminal in
      try terminal.expectScreen("Welcome. Nobody is logged in.")
      // The form stays where registration is open, whatever names there are.
      try home.changeDatabase("UPDATE accounts SET name = 'x' WHERE name = 'bob'")
      try terminal.type("\u{1B}[B\r", until: "Repeat it")
      try elsewhere(home, "echo '\(Self.alice)' | auth-cli login alice --password-stdin")
      try terminal.expectScreen("the form below the new bar") {
        $0.text.contains("[Log out]") && $0.text.contains("Repeat it")
      }
      try terminal.type("\u{1B}", until: "Welcome, alice.")
      try elsewhere(home, "auth-cli profile --name '王小明 from afar'")
      try terminal.expectScreen("Welcome, 王小明 from afar.")
    }
  }

  @Test("a session file that is moved away closes the screen and ends no session; moved back, it opens it again")
  func movedAway() async throws {
    let home = try await CommandHome(loggedIn: true)
    let (file, away) = (home.state + "/default.session", home.state + "/../away")
    try await play(home) { terminal in
      try terminal.expectScreen("Welcome, alice.")
      for _ in 1...2 {
        try terminal.type("3", until: "opening credit")
        try #require(rename(file, away) == 0)
        // The bar is told a moment after the screens.
        let closed = try terminal.expectScreen("a closed screen") {
          $0.text.contains("the session file is gone, but its session is still active") && $0.text.contains("[Log in]")
        }
        #expect(closed.text.contains("[1 Home]"))
        try #require(rename(away, file) == 0)
        try terminal.expectScreen("[Log out]")
        try leave(terminal, to: "Welcome, alice.")
      }
      try elsewhere(home, "auth-cli pay 1 --to bob")
      // Logging out here does end it: a copy of the file is of no use then.
      try elsewhere(home, "cp '\(file)' '\(away)'")
      try terminal.type("l", until: "Log out? y/n")
      try terminal.type("y", until: "Logged out.")
      try #require(rename(away, file) == 0)
      try elsewhere(home, "! auth-cli status")
    }
  }

  @Test("a guarded tab asks to log in; a wrong password is refused in place, and Esc goes back", arguments: [40, 80])
  func refused(_ columns: Int) async throws {
    let home = try await CommandHome()
    try await play(home, columns: columns) { terminal in
      try terminal.expectScreen("Nobody is logged in.", columns: columns)
      try terminal.type("3", until: "Log in to open Receipts", columns: columns)
      // Pasted text is text: no key in it acts.
      try terminal.type(
        "\u{1B}[200~alice\u{1B}[201~\rq?/wrong password\r", until: "The name and the password were not",
        columns: columns)
      try terminal.type("\u{1B}", until: "Welcome. Nobody is logged in.", columns: columns)
      #expect(!terminal.transcript.contains("q?/wrong"))
    }
  }

  @Test("every signal that ends it leaves the terminal as it was", arguments: SilentTerminalTests.Blow.allCases)
  func signals(_ blow: SilentTerminalTests.Blow) async throws {
    let (end, shown) = try await CommandHome(registered: false).play("app") { terminal in
      try terminal.expectScreen("Nobody is logged in.")
      try blow.strike(terminal)
    }
    #expect(end == .signalled(blow.signal))
    expectNormalScreen(shown)
  }

  @Test("^Z gives the terminal to the shell, and fg draws the screen again")
  func stopped() async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      var environment = home.environment
      environment["PS1"] = "shell> "
      let shell = try terminal.launch(["/bin/bash", "--norc", "--noprofile", "-i"], environment: environment)
      try terminal.expect("shell> ")
      try terminal.type("'\(home.executable)' app\n", until: "Nobody is logged in.")
      for _ in 0..<3 {
        try terminal.send("\u{1A}")
        let stopped = try terminal.expectScreen { !$0.modes.contains(1049) && $0.text.contains("Stopped") }
        #expect(stopped.modes.isSuperset(of: [7, 25]))
        try terminal.send("clear; fg\n")
        try terminal.expectScreen { $0.modes.contains(1049) && $0.text.contains("Nobody is logged in.") }
      }
      try terminal.send("q")
      try terminal.expectScreen { !$0.modes.contains(1049) }
      try terminal.send("exit\n")
      #expect(try shell.wait() == .exited(0))
    }
  }

  @Test("Ctrl-L draws all of it again, and so does a continuation, whatever somebody else has drawn meanwhile")
  func drawsAgain() async throws {
    let home = try await CommandHome(registered: false)
    try await play(home) { terminal in
      let modes: Set = [1000, 1006, 1049, 2004]
      #expect(try terminal.expectScreen("Nobody is logged in.").modes == modes)
      for key in ["\u{C}", "", "\u{1A}"] {
        // Another program draws, and changes which reports of the mouse there are.
        TerminalChild.tell(terminal.path, "spoilt\u{1B}[?1000;1006\(key == "\u{C}" ? "h" : "l\u{1B}[?1003h")")
        try terminal.expectScreen("spoilt")
        let seen = terminal.transcript.count
        // Nobody could continue this process group, so ^Z does not stop it; the screen is left and
        // entered again.
        if key.isEmpty { try terminal.signalForeground(SIGCONT) } else { try terminal.send(key) }
        try terminal.expect("the whole screen once more") { bytes in
          let more = String(decoding: bytes, as: UTF8.self).dropFirst(seen)
          return more.contains("\u{1B}[2J") && more.contains("Nobody is logged in.") && more.contains("? help")
        }
        #expect(try terminal.expectScreen { !$0.text.contains("spoilt") }.modes == modes)
      }
    }
  }

  @Test("where the locale has no UTF-8, only ASCII is written", arguments: ["C", "de_DE.ISO-8859-1"])
  func asciiLocale(_ locale: String) async throws {
    let home = try await CommandHome(loggedIn: true)
    let shown = try await play(home, adding: ["LC_ALL": locale]) { terminal in
      try terminal.expectScreen("^v choose")
      try terminal.type("7", until: "> renewing on")
    }
    #expect(shown.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("a storm of sizes ends in the last size")
  func resizes() async throws {
    let home = try await CommandHome(registered: false)
    try await play(home) { terminal in
      try terminal.expectScreen("Nobody is logged in.")
      for size in 1...300 { try terminal.resize(columns: UInt16(1 + size % 97), rows: UInt16(1 + size % 31)) }
      try terminal.resize(columns: 40, rows: 11)
      try terminal.expectScreen("last size", columns: 40, rows: 11) {
        $0.frame.lines[0].hasSuffix("[Log in]") && $0.frame.lines[0].count == 40
          && $0.frame.lines[10].hasPrefix("? help")
      }
    }
  }

  @Test("a terminal that hangs up ends it, also where the signal for that is ignored", arguments: [false, true])
  func hangsUp(_ ignoresSignal: Bool) async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let command = (ignoresSignal ? "trap '' HUP; " : "") + "exec '\(home.executable)' app"
      let app = try terminal.launch(["/bin/bash", "-c", command], environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.")
      terminal.hangUp()
      #expect(try app.wait() == (ignoresSignal ? .exited(3) : .signalled(SIGHUP)))
    }
  }

  @Test("where it cannot work it says what to use instead, with status 2")
  func refusals() async throws {
    let home = try await CommandHome(registered: false)
    for (environment, line, message) in [
      (["TERM": "dumb"], "app", "TERM is dumb"), (["TERM": ""], "app", "TERM is not set"),
      ([:], "app --json", "prints no JSON"),
    ] {
      let (end, shown) = try await home.play(line, adding: environment)
      #expect(end == .exited(2))
      #expect(shown.contains(message) && shown.contains("auth-cli watch"), "\(shown)")
      #expect(!shown.contains("\u{1B}[?1049h"))
    }
  }

  @Test("with NO_COLOR no colour is set, and the selection is still marked")
  func noColor() async throws {
    let home = try await CommandHome(registered: false)
    let shown = try await play(home, adding: ["NO_COLOR": "1"]) { terminal in
      try terminal.expectScreen("> Create the first account")
    }
    #expect(shown.contains("\u{1B}[7m") || shown.contains(";7m"))
    for color in 30...37 { #expect(!shown.contains("\(color)m")) }
    #expect(!shown.contains("38;5;"))
  }
}
