import Glibc
import Testing

@testable import auth_cli

/// The question on a real pseudo-terminal, asked in a process of its own that the signals can kill.
@Suite("Asking for a secret on a terminal", .timeLimit(.minutes(2)))
struct SilentTerminalTests {
  /// Makes the pseudo-terminal the controlling terminal of this process, as the leader of a new session.
  static func adopt(_ path: String) {
    precondition(setsid() > 0)
    let terminal = open(path, O_RDWR)
    precondition(terminal >= 0 && tcgetpgrp(terminal) == getpgrp())
  }

  /// Asks, and tells on the terminal how it ended.
  static func ask(_ path: String, timeLimit: Duration = .seconds(20)) -> Never {
    adopt(path)
    do throws(PromptFailure) {
      let terminal = try SilentTerminal.controlling(insteadUse: "--flag")
      let line = try terminal.ask("Secret: ", timeLimit: timeLimit)
      tell(path, "<\(TextEscaping.escape(line))>")
    } catch {
      tell(path, "<\(error.code)>")
    }
    exit(0)
  }

  static func tell(_ path: String, _ text: String) {
    let terminal = open(path, O_RDWR | O_NOCTTY)
    let bytes = Array((text + "\n").utf8)
    precondition(write(terminal, bytes, bytes.count) == bytes.count)
    close(terminal)
  }

  @Test("the line is read without being shown, and the terminal is as it was before")
  func reads() async throws {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    let before = terminal.settings
    async let dialogue: Void = onOwnThread {
      try terminal.expect("Secret: ")
      #expect(!terminal.echoes)
      try terminal.send("open sesame\n")
      try terminal.expect("<open sesame>")
    }
    await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in SilentTerminalTests.ask(path) }
    try await dialogue
    #expect(terminal.settings == before)
    #expect(terminal.transcript == "Secret: \r\n<open sesame>\r\n")
  }
}
