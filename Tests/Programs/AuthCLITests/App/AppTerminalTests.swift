import Foundation
import Races
import Terminals
import Testing

/// What the transcripts `app-*.t` cannot show of the full-screen program on a terminal.
@Suite("The full-screen program on a terminal", .timeLimit(.minutes(10)))
struct AppTerminalTests {
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
        #expect(try Self.count("zinc meadow", inMemoryOf: app.id) == 1)
        for wanted in ["Esc again leaves", "Welcome. Nobody is logged in."] {
          try terminal.send("\u{1B}")
          try terminal.expectScreen(wanted)
        }
        #expect(try Self.count("zinc meadow", inMemoryOf: app.id) == 0)
      }
      try terminal.send("q")
      #expect(try app.wait() == .exited(0))
    }
  }

  @Test("Ctrl-L draws all of it again, and so does a continuation, whatever somebody else has drawn meanwhile")
  func drawsAgain() async throws {
    try await playApp { terminal in
      let modes: Set = [1000, 1006, 1049, 2004]
      #expect(try terminal.screen().modes == modes)
      for key in ["\u{C}", "", "\u{1A}"] {
        // Another program draws, and changes which reports of the mouse there are.
        let spoilt = "spoilt\u{1B}[?1000;1006\(key == "\u{C}" ? "h" : "l\u{1B}[?1003h")\n"
        try FileHandle(forWritingTo: URL(filePath: terminal.path)).write(contentsOf: Data(spoilt.utf8))
        try terminal.expectScreen("spoilt")
        let seen = terminal.transcript.count
        // Nobody could continue this process group, so ^Z does not stop it; the screen is left and
        // entered again.
        if key.isEmpty { try terminal.signalForeground(SIGCONT) } else { try terminal.send(key) }
        try terminal.expect("the whole screen once more") { bytes in
          let more = String(decoding: bytes, as: UTF8.self).dropFirst(seen)
          return more.contains("\u{1B}[1J") && more.contains("Nobody is logged in.") && more.contains("? help")
        }
        #expect(try terminal.expectScreen { !$0.text.contains("spoilt") }.modes == modes)
      }
    }
  }

  @Test("a storm of sizes ends in the last size")
  func resizes() async throws {
    try await playApp { terminal in
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
      let command = (ignoresSignal ? "trap '' HUP; " : "") + "exec '\(home.executable)' app 2>'\(home.file("errors"))'"
      let app = try terminal.launch(["/bin/bash", "-c", command], environment: home.environment)
      try terminal.expectScreen("Nobody is logged in.")
      terminal.hangUp()
      #expect(try app.wait() == (ignoresSignal ? .exited(3) : .signalled(SIGHUP)))
      // The user may have changed something in the screen.
      #expect(try !TextFile.read(home.file("errors")).contains("nothing was changed"))
    }
  }

  /// How often a text is in the memory that a process can write, as root sees it.
  private static func count(_ text: String, inMemoryOf process: pid_t) throws -> Int {
    let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
    defer { try? memory.close() }
    return try TextFile.read("/proc/\(process)/maps").split(separator: "\n").reduce(0) { count, line in
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard words[1].hasPrefix("rw") else { return count }
      try memory.seek(toOffset: ends[0])
      // Some of the memory of the system itself cannot be read.
      var rest = (try? memory.read(upToCount: Int(ends[1] - ends[0]))) ?? Data()
      var found = 0
      while let place = rest.range(of: Data(text.utf8)) {
        found += 1
        rest = rest[place.upperBound...]
      }
      return count + found
    }
  }
}
