import CommandLineKit
import Foundation
import Programs
import Races
import Terminals
import Testing

/// What the full-screen program leaves of itself on the terminal, also if it ends early.
@Suite("What the full-screen program leaves on the terminal", .timeLimit(.minutes(10)))
struct AppRestorationTests {
  @Test(
    "a crash signal restores the terminal, in the program and in a prompt",
    arguments: [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS],
    [("app", "Nobody is logged in."), ("register alice", "New password for alice")])
  func crash(signal: Int32, place: (line: String, shown: String)) async throws {
    let (end, shown) = try await CommandHome(registered: false).play(place.line) { terminal in
      if place.line == "app" { try terminal.expectScreen(place.shown) } else { try terminal.expect(place.shown) }
      try terminal.signalForeground(signal)
    }
    #expect(end == .signalled(signal))
    if place.line == "app" { #expect(Self.screen(after: shown).modes == [7, 25]) }
  }

  @Test("a crash for want of room on the stack restores the terminal, too")
  func overflow() async throws {
    let folder = ShortFolder()
    let library = try await CallShim.compile("overflow.c", into: folder)
    let (end, shown) = try await CommandHome(registered: false).play("app", adding: ["LD_PRELOAD": library]) {
      terminal in
      try terminal.expectScreen("Nobody is logged in.")
      try terminal.signalForeground(SIGURG)
    }
    #expect(end == .signalled(SIGSEGV))
    #expect(Self.screen(after: shown).modes == [7, 25])
  }

  @Test("no thread of the program blocks the signals of a crash, because their handler restores the terminal")
  func threads() async throws {
    let home = try await CommandHome(registered: false)
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let app = try terminal.launch(home.words("app"), environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.")
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(app.id)/task")
      #expect(threads.count > 1)
      let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]
      for thread in threads {
        // The C library blocks all of them for a moment while a thread starts or ends.
        let isOpen = Deadline(.seconds(500)).wait {
          // A thread may have ended by now.
          let status = (try? TextFile.read("/proc/\(app.id)/task/\(thread)/status")) ?? "SigBlk:\t0"
          let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") } ?? ""
          let blocked = UInt64(line.dropFirst(7).filter { $0 != "\t" }, radix: 16) ?? .max
          return crashes.allSatisfy { blocked & 1 << (UInt64($0) - 1) == 0 }
        }
        #expect(isOpen, "\(thread)")
      }
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test(
    "a terminal without an alternate screen keeps neither the codes nor the last frame, also in its history",
    arguments: ["\u{3}", "\u{1A}", "cq"])
  func noAlternateScreen(_ last: String) async throws {
    let (end, shown) = try await CommandHome(loggedIn: true).play("app") { terminal in
      try terminal.showCodes()
      // All of it is drawn again.
      for signal in [SIGWINCH, SIGCONT] {
        let seen = terminal.transcript.utf8.count
        try terminal.signalForeground(signal)
        try terminal.expect("the codes again") { String(decoding: $0[seen...], as: UTF8.self).hasCodes }
      }
      if last != "cq" { return try terminal.send(last + (last == "\u{1A}" ? "\u{3}" : "")) }
      try terminal.expectScreen("Esc close")
      try terminal.send("\r")
      try terminal.expectScreen("c close  Esc back")
      try terminal.send("c")
      try terminal.expectScreen("You have new recovery codes.")
      try terminal.send("q")
    }
    #expect(end == (last == "cq" ? .exited(0) : .signalled(SIGINT)))
    let screen = Self.screen(after: "what was there before\r\n" + shown, hasAlternate: false)
    #expect(
      screen.text.allSatisfy { $0 == "\n" } && screen.frame.cursor == Frame.Position(row: 0, column: 0),
      "\(screen.text)")
    #expect(screen.history.contains("what was there before"))
    #expect(screen.history.allSatisfy { !$0.hasCodes }, "\(screen.history)")
  }

  private static func screen(
    after shown: String, hasAlternate: Bool = true, before: String = ""
  ) -> SmallScreen {
    var screen = SmallScreen(columns: 80, rows: 24, hasAlternate: hasAlternate)
    screen.feed((before + shown).utf8)
    return screen
  }

  @Test("left-over modes that change the form of keys are off while it runs, and kitty's are back after it")
  func keyModes() async throws {
    let before = "\u{1B}[>4;2m\u{1B}[>13u"
    let (_, shown) = try await CommandHome(registered: false).play("app") { terminal in
      let screen = try terminal.expectScreen("Nobody is logged in.")
      #expect(screen.unknown.isEmpty)
      let modes = try terminal.screen(before: before)
      #expect(modes.otherKeys == 0 && modes.keyboard == [0, 13, 0])
      try terminal.send("q")
    }
    #expect(Self.screen(after: shown, before: before).keyboard == [0, 13])
  }
}

extension PseudoTerminal {
  /// Makes recovery codes in the full-screen program, where alice is logged in.
  func showCodes() throws {
    try expectScreen("Welcome, alice.")
    try send("4")
    try expectScreen("off: set it up")
    try send("\u{1B}[F\u{1B}[A\r")
    try expectScreen("Make ten recovery codes?")
    try send("y")
    try expectScreen("they are not shown again")
  }
}

extension String {
  /// Whether it contains a recovery code.
  var hasCodes: Bool { firstMatch(of: /([0-9a-z]{5}-){4}[0-9a-z]{5}/) != nil }
}
