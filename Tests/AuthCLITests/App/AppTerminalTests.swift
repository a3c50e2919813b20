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

  @Test("register, log in, pay, see a logout from another terminal close the screen, quit")
  func wholeStory() async throws {
    let home = try await CommandHome(registered: false, executable: BuiltExecutable.shipped)
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("> Create the first account")
      try terminal.send("\r")
      try terminal.expectScreen("Create an account")
      for line in ["alice", Self.alice, Self.alice] { try terminal.send(line + "\r") }
      try terminal.expectScreen("Created alice, the administrator. Logged in as alice.")
      #expect(!terminal.transcript.contains("kettle"))
      try terminal.expectScreen("Welcome, alice.")
      try elsewhere(home, "echo 'paper lantern river orchard' | auth-cli register bob --password-stdin")
      try terminal.send("2")
      try terminal.expectScreen("Pay somebody")
      try terminal.expectScreen("Your balance is 100.00.")
      try terminal.send("bob\r12.50\r")
      try terminal.expectScreen("Pay 12.50 to bob? After this you have 87.50. y/n")
      try terminal.send("y")
      try terminal.expectScreen("Paid 12.50 to bob.")
      try terminal.expectScreen("Your balance is 87.50.")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Welcome, alice.")
      try terminal.send("3")
      try terminal.expectScreen("-12.50")
      // A press of the mouse on the row opens its details, and a letter copies its number.
      let row = try terminal.screen().frame.lines.firstIndex { $0.contains("-12.50") } ?? 0
      try terminal.send("\u{1B}[<0;5;\(row + 1)M\u{1B}[<0;5;\(row + 1)m")
      try terminal.expectScreen("> Pay again")
      try terminal.send("y")
      try terminal.expectScreen("Copied 3, if your terminal allows it.")
      #expect(terminal.transcript.contains("\u{1B}]52;c;Mw==\u{7}"))
      try terminal.send("\u{1B}")
      try terminal.expectScreen("-12.50")
      try elsewhere(home, "auth-cli logout")
      let closed = try terminal.expectScreen("You were logged out in another terminal.")
      #expect(closed.text.contains("[1 Home]"))
      try terminal.expectScreen("[Log in]")
      #expect(closed.unknown.isEmpty)
      try leave(terminal, to: "Welcome. Nobody is logged in.")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
      _ = try terminal.expectEnd()
    }
    #expect(terminal.settings == before)
    #expect(try terminal.screen().modes == [7, 25])
  }

  @Test("what is typed across a logout from another terminal reaches neither the screen nor the shell")
  func typedAcrossLogout() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice", as: "alice")
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      var environment = home.environment
      environment["PS1"] = "shell> "
      let shell = try terminal.launch(["/bin/bash", "--norc", "--noprofile", "-i"], environment: environment)
      try terminal.expect("shell> ")
      try terminal.send("'\(home.executable)' app\n")
      try terminal.expectScreen("Welcome, alice.")
      try terminal.send("\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[B\r")
      try terminal.expectScreen("Present password")
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
        try terminal.send("lalice\r\(typed)")
        try terminal.expectScreen("(typed, not shown)")
        // The read that brought it is wiped after it was drawn at the latest.
        #expect(try ProcessMemory.count("zinc meadow", in: app.id) == 1)
        try terminal.send("\u{1B}")
        try terminal.expectScreen("Welcome. Nobody is logged in.")
        #expect(try ProcessMemory.count("zinc meadow", in: app.id) == 0)
      }
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("an administrator creates, changes and deletes accounts, and closes the registration")
  func administers() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice", as: "alice")
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Welcome, alice.")
      try terminal.send("8")
      try terminal.expectScreen("> Create an account")
      try terminal.send("\rdave\r")
      let code = try terminal.expectScreen("Give this one-time code to dave:")
      #expect(code.text.contains("auth-cli recover dave"))
      try leave(terminal, to: "> Create an account")
      try terminal.expectScreen("  dave ")
      try terminal.send("\u{1B}[B\ry")
      try terminal.expectScreen("Registration is closed now.")
      try elsewhere(home, "[[ $(auth-cli accounts registration) == *closed* ]]")
      // Names are in order: dave is the last, and bob is before him.
      try terminal.send("\u{1B}[F\u{1B}[A\r\u{1B}[B\u{1B}[B\r")
      try terminal.expectScreen("Disable bob, and end all its sessions? y/n")
      // The wheel of a mouse, and answers of the terminal, are no keys.
      try terminal.send("\u{1B}[M`%%\u{1B}[<64;5;5M\u{1B}[96;5;5M\u{1B}]52;c;eQ==\u{7}\u{1B}yy")
      try terminal.expectScreen("bob is disabled now.")
      try elsewhere(home, "[[ $(auth-cli accounts show bob) == *disabled* ]]")
      try terminal.expectScreen("> Enable")
      try terminal.send("\ry")
      try terminal.expectScreen("bob is enabled now.")
      try terminal.expectScreen("Disable, and end all sessions")
      try terminal.send("\u{1B}[F\rbob\r")
      try terminal.expectScreen("The account 'bob' still has 100.00.")
      try elsewhere(
        home,
        "echo '\(Self.bob)' | auth-cli login bob --context bob --password-stdin; "
          + "auth-cli pay 100 --to alice --context bob")
      try terminal.send("\r")
      try terminal.expectScreen("The account bob is deleted.")
      // She is the last administrator.
      try terminal.send("\u{1B}[H\u{1B}[B\u{1B}[B\u{1B}[B\r")
      try terminal.expectScreen("The last administrator cannot be disabled, demoted or deleted.")
      // Nor has she a second step.
      try terminal.send("\u{1B}")
      try terminal.expectScreen("A second step is optional")
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
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
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
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Welcome. Nobody is logged in.")
      try terminal.send("lalice\r\(Self.alice)\r")
      try terminal.expectScreen("Enter a code of your authenticator app, or a recovery code")
      try terminal.send("not a code\r")
      try terminal.expectScreen("Wrong code.")
      try terminal.send("\(codes[0])\r")
      try terminal.expectScreen("Welcome, alice.")
      try home.changeDatabase("UPDATE sessions SET fresh_until = 0")
      try terminal.send("2")
      try terminal.expectScreen("Your balance is 100.00.")
      try terminal.send("bob\r1\r")
      try terminal.expectScreen("Pay 1.00 to bob? After this you have 99.00. y/n")
      try terminal.send("y")
      try terminal.expectScreen("Enter your password again to go on")
      try terminal.send("\(Self.alice)\r")
      try terminal.expectScreen("Enter a code of your authenticator app, or a recovery code")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Nothing was changed.")
      try terminal.expectScreen("Enter your password again to go on")
      try terminal.send("\(Self.alice)\r")
      try terminal.expectScreen("Enter a code of your authenticator app, or a recovery code")
      try terminal.send("\(codes[1])\r")
      try terminal.expectScreen("Paid 1.00 to bob.")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Welcome, alice.")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
      for secret in codes + ["kettle"] { #expect(!terminal.transcript.contains(secret)) }
    }
  }

  @Test("recovery codes are made in the Profile tab, and one of them sets a new password and logs in")
  func recovers() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice", as: "alice")
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Welcome, alice.")
      try terminal.send("4")
      try terminal.expectScreen("off: set it up")
      try terminal.send("\u{1B}[F\u{1B}[A\r")
      try terminal.expectScreen("Make ten recovery codes?")
      try terminal.send("y")
      let shown = try terminal.expectScreen("they are not shown again")
      let code = shown.frame.lines[3].prefix(29)
      try leave(terminal, to: "make new ones")
      try terminal.send("ly")
      try terminal.expectScreen("Logged out.")
      try terminal.send("lalice\u{12}")
      try terminal.expectScreen("Set a new password with a code")
      try terminal.send("\(code)\rcedar window mosaic falcon\rcedar window mosaic falcon\r")
      try terminal.expectScreen("The new password is set; all sessions are ended. Logged in as alice.")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("a login and a new name from another terminal show at once")
  func live() async throws {
    let home = try await CommandHome()
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Welcome. Nobody is logged in.")
      // The form stays where registration is open, whatever names there are.
      try home.changeDatabase("UPDATE accounts SET name = 'x' WHERE name = 'bob'")
      try terminal.send("\u{1B}[B\r")
      try terminal.expectScreen("Repeat it")
      try elsewhere(home, "echo '\(Self.alice)' | auth-cli login alice --password-stdin")
      try terminal.expectScreen("the form below the new bar") {
        $0.text.contains("[Log out]") && $0.text.contains("Repeat it")
      }
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Welcome, alice.")
      try elsewhere(home, "auth-cli profile --name '王小明 from afar'")
      try terminal.expectScreen("Welcome, 王小明 from afar.")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("a session file that is moved away closes the screen and ends no session; moved back, it opens it again")
  func movedAway() async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice", as: "alice")
    let terminal = try PseudoTerminal()
    let (file, away) = (home.state + "/default.session", home.state + "/../away")
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Welcome, alice.")
      for _ in 1...2 {
        try terminal.send("3")
        try terminal.expectScreen("opening credit")
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
      try terminal.send("l")
      try terminal.expectScreen("Log out? y/n")
      try terminal.send("y")
      try terminal.expectScreen("Logged out.")
      try #require(rename(away, file) == 0)
      try elsewhere(home, "! auth-cli status")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("a guarded tab asks to log in; a wrong password is refused in place, and Esc goes back", arguments: [40, 80])
  func refused(_ columns: Int) async throws {
    let home = try await CommandHome()
    let terminal = try PseudoTerminal(columns: UInt16(columns))
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.", columns: columns)
      try terminal.send("3")
      try terminal.expectScreen("Log in to open Receipts", columns: columns)
      // Pasted text is text: no key in it acts.
      try terminal.send("\u{1B}[200~alice\u{1B}[201~\rq?/wrong password\r")
      try terminal.expectScreen("The name and the password were not", columns: columns)
      try terminal.send("\u{1B}")
      try terminal.expectScreen("Welcome. Nobody is logged in.", columns: columns)
      #expect(!terminal.transcript.contains("q?/wrong"))
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("every signal that ends it leaves the terminal as it was", arguments: SilentTerminalTests.Blow.allCases)
  func signals(_ blow: SilentTerminalTests.Blow) async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.")
      try blow.strike(terminal)
      #expect(try app.wait() == .signalled(blow.signal))
      _ = try terminal.expectEnd()
    }
    #expect(terminal.settings == before)
    #expect(try terminal.screen().modes == [7, 25])
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
      try terminal.send("'\(home.executable)' app\n")
      try terminal.expectScreen("Nobody is logged in.")
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

  @Test("Ctrl-L draws all of it again, whatever else was drawn there")
  func drawsAgain() async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.")
      let seen = terminal.transcript.count
      try terminal.send("\u{C}")
      try terminal.expect("the whole screen once more") { bytes in
        let more = String(decoding: bytes, as: UTF8.self).dropFirst(seen)
        return more.contains("\u{1B}[2J") && more.contains("Nobody is logged in.") && more.contains("? help")
      }
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("where the locale has no UTF-8, only ASCII is written", arguments: ["C", "de_DE.ISO-8859-1"])
  func asciiLocale(_ locale: String) async throws {
    let home = try await CommandHome()
    try await home.succeed("login alice", as: "alice")
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let variables = home.environment.merging(["LC_ALL": locale]) { $1 }
      let app = try terminal.launch(home.words("app"), environment: variables)
      try terminal.expectScreen("^v choose")
      try terminal.send("7")
      try terminal.expectScreen("> renewing on")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
    #expect(terminal.transcript.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("a storm of sizes ends in the last size")
  func resizes() async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.")
      for size in 1...300 { try terminal.resize(columns: UInt16(1 + size % 97), rows: UInt16(1 + size % 31)) }
      try terminal.resize(columns: 40, rows: 11)
      try terminal.expectScreen("last size", columns: 40, rows: 11) {
        $0.frame.lines[0].hasSuffix("[Log in]") && $0.frame.lines[0].count == 40
          && $0.frame.lines[10].hasPrefix("? help")
      }
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
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
    for (environment, words, message) in [
      (["TERM": "dumb"], ["app"], "TERM is dumb"), (["TERM": ""], ["app"], "TERM is not set"),
      ([:], ["app", "--json"], "prints no JSON"),
    ] {
      let terminal = try PseudoTerminal()
      try await onOwnThread {
        let variables = home.environment.merging(environment) { $1 }
        let app = try terminal.launch([home.executable] + words, environment: variables)
        #expect(try app.wait() == .exited(2))
        let shown = try terminal.expectEnd()
        #expect(shown.contains(message))
        #expect(shown.contains("auth-cli watch"))
        #expect(!shown.contains("\u{1B}[?1049h"))
      }
    }
  }

  @Test("with NO_COLOR no colour is set, and the selection is still marked")
  func noColor() async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let variables = home.environment.merging(["NO_COLOR": "1"]) { $1 }
      let app = try terminal.launch(home.words("app"), environment: variables)
      try terminal.expectScreen("> Create the first account")
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
    #expect(terminal.transcript.contains("\u{1B}[7m") || terminal.transcript.contains(";7m"))
    for color in 30...37 { #expect(!terminal.transcript.contains("\(color)m")) }
    #expect(!terminal.transcript.contains("38;5;"))
  }
}
