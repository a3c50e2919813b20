import Glibc
import Terminals
import Testing

@testable import CommandLineKit

/// A screen on a real pseudo-terminal, drawn by a process of its own that signals can kill.
@Suite("The terminal as a whole screen", .timeLimit(.minutes(10)))
struct ScreenTerminalTests {
  /// The terminal shows what it showed before: the cursor, and the screen of the shell.
  private func expectNormalScreen(_ terminal: PseudoTerminal) throws {
    _ = try terminal.expectEnd()
    #expect(try terminal.screen().modes == [7, 25])
    #expect(try !terminal.screen().text.contains("x24"))
  }

  @Test("it draws on a screen of its own, and at the end the terminal is as it was before")
  func restores() async throws {
    let terminal = try await TerminalChild.screen.run { terminal in
      let drawn = try terminal.expectScreen("80x24")
      #expect(drawn.modes == [1049, 2004])
      #expect(!terminal.echoes)
      try terminal.send("x")
      try terminal.expectScreen("character(\"x\")")
      try terminal.send("\u{1B}[A")
      try terminal.expectScreen("up")
      try terminal.send("q")
      try terminal.expect("<returned>")
    }
    try expectNormalScreen(terminal)
  }

  @Test("after an error the terminal is as it was before")
  func error() async throws {
    let terminal = try await TerminalChild.screen.run { terminal in
      try terminal.expectScreen("80x24")
      try terminal.send("e")
      try terminal.expect("<timed_out>")
    }
    try expectNormalScreen(terminal)
  }

  @Test("it dies of the signal, with the terminal as it was before", arguments: SilentTerminalTests.Blow.allCases)
  func signals(_ blow: SilentTerminalTests.Blow) async throws {
    let terminal = try await TerminalChild.screen.run(endsWith: .signal(blow.signal)) { terminal in
      try terminal.expectScreen("80x24")
      try blow.strike(terminal)
    }
    try expectNormalScreen(terminal)
  }

  @Test("after a continuation everything is drawn again, also where somebody else has drawn meanwhile")
  func continued() async throws {
    try await TerminalChild.screen.run(columns: 30, rows: 6) { terminal in
      try terminal.expectScreen("30x6")
      // Another program draws, and leaves the reports of the mouse on.
      TerminalChild.tell(terminal.path, "spoilt\u{1B}[?1000;1003;1006h")
      try terminal.expectScreen("spoilt")
      try terminal.signalForeground(SIGCONT)
      let again = try terminal.expectScreen { !$0.text.contains("spoilt") && $0.text.contains("30x6") }
      #expect(again.modes == [1049, 2004])
      // Nobody could continue this process group, so the key does not stop it; the screen was left
      // and entered again.
      try terminal.send("\u{1A}")
      // What is typed before the screen is drawn again belongs to the shell, and is thrown away.
      try terminal.expect("the screen again") { bytes in
        let lives = String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}[?1049h")
        return lives.count > 1 && lives[1].contains("\u{1B}[?2026l")
      }
      try terminal.send("z")
      let drawn = try terminal.expectScreen("character(\"z\")")
      #expect(drawn.modes == [1049, 2004])
      try terminal.send("q")
    }
  }

  @Test("however often the size changes, the last size is drawn")
  func resizes() async throws {
    try await TerminalChild.screen.run { terminal in
      try terminal.expectScreen("80x24")
      for size in 1...400 { try terminal.resize(columns: UInt16(20 + size % 97), rows: UInt16(5 + size % 31)) }
      try terminal.resize(columns: 61, rows: 17)
      try terminal.expectScreen("61x17", columns: 61, rows: 17)
      try terminal.send("q")
    }
  }

  @Test("a lone Escape is a key after a moment")
  func escape() async throws {
    try await TerminalChild.screen.run { terminal in
      try terminal.expectScreen("80x24")
      try terminal.send("\u{1B}")
      try terminal.expectScreen("escape")
      try terminal.send("q")
    }
  }

  @Test("a terminal that hangs up ends the screen also where the signal for it is ignored")
  func hangUp() async throws {
    try await TerminalChild.screen.run(endsWith: .exitCode(7), ignoring: SIGHUP) { terminal in
      try terminal.expectScreen("80x24")
      terminal.hangUp()
    }
  }
}

/// What the process under test does.
enum ScreenChild {
  /// Shows the size and the last key.
  ///
  /// `q` returns, `e` ends with an error.
  static func run(_ path: String) -> Never {
    _ = TerminalChild.adopt(path)
    do throws(PromptError) {
      TerminalChild.tell(path, try show() ? "<returned>" : "<gone>")
    } catch {
      TerminalChild.tell(path, "<\(error.code.name)>")
    }
    exit(0)
  }

  private static func show() throws(PromptError) -> Bool {
    var terminal = try ScreenTerminal(colors: true)
    var last = ""
    while true {
      var frame = terminal.frame
      frame.put("\(frame.columns)x\(frame.rows)", row: 0, column: 0)
      frame.put(last, row: 1, column: 0, style: .selected)
      try terminal.show(frame)
      var keys: [Key] = []
      let happened = try terminal.wait(atMost: .seconds(60)) { keys.append($0) }
      if happened.isGone { exit(7) }
      if !happened.isAnything { exit(9) }
      for key in keys {
        if key == .character("q") { return true }
        if key == .character("e") { throw .timedOut(.seconds(1)) }
        last = "\(key)"
      }
    }
  }
}
