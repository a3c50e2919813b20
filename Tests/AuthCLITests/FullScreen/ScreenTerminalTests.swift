import Glibc
import Terminals
import Testing

@testable import CommandLineKit

/// What the full-screen program itself cannot show on a terminal; see AppTerminalTests.
@Suite("The terminal as a whole screen", .timeLimit(.minutes(10)))
struct ScreenTerminalTests {
  @Test("after an error the terminal is as it was before")
  func error() async throws {
    let terminal = try await TerminalChild.screen.run { terminal in
      let drawn = try terminal.expectScreen("shown")
      #expect(drawn.modes == [1049, 2004] && !terminal.echoes)
      try terminal.send("e")
      try terminal.expect("<timed_out>")
    }
    _ = try terminal.expectEnd()
    #expect(try terminal.screen().modes == [7, 25])
    #expect(try !terminal.screen().text.contains("shown"))
  }
}

/// What the process under test does.
enum ScreenChild {
  /// Shows a screen until a key, and ends with an error.
  static func run(_ path: String) -> Never {
    _ = TerminalChild.adopt(path)
    do throws(PromptError) {
      var terminal = try ScreenTerminal(colors: true)
      var frame = terminal.frame
      frame.put("shown", row: 0, column: 0)
      try terminal.show(frame)
      _ = try terminal.wait(atMost: .seconds(60)) { _ in }
      throw .timedOut(.seconds(1))
    } catch {
      TerminalChild.tell(path, "<\(error.code.name)>")
    }
    exit(0)
  }
}
