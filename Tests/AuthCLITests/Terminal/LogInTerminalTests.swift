import Glibc
import Races
import Terminals
import Testing

/// The built program at its prompt, on a real pseudo-terminal.
@Suite("Logging in on a terminal", .timeLimit(.minutes(10)))
struct LogInTerminalTests {
  private static let password = CommandHome.alice

  private func home() async throws -> CommandHome { try await CommandHome(executable: BuiltExecutable.shipped) }

  @Test("^Z gives the echo back to the shell; after fg it is off, the question is asked again, and the answer counts")
  func stopAndContinue() async throws {
    let home = try await home()
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let shell = try terminal.launch(["/bin/sh", "-i"], environment: home.environment)
      try terminal.expect("ready> ")
      try terminal.send("'\(home.executable)' login alice\n", awaiting: "alice: ")
      #expect(!terminal.echoes)
      try terminal.send("half\u{1A}", awaiting: "ready> ")
      #expect(terminal.echoes)
      try terminal.send("fg\n", awaiting: "alice: ")
      #expect(terminal.waitForEcho(false))
      try terminal.send(Self.password + "\n", awaiting: "Logged in as alice")
      try terminal.expect("ready> ")
      #expect(terminal.echoes)
      try terminal.send("exit\n")
      #expect(try shell.wait() == .exited(0))
    }
    #expect(!terminal.transcript.contains("half"))
    #expect(!terminal.transcript.contains(Self.password))
  }

  @Test("stopped from outside and continued, with the shell's settings in between, it is silent again")
  func stoppedFromOutside() async throws {
    let (end, _) = try await home().play("login alice") { terminal in
      try terminal.expect("alice: ")
      try terminal.signalForeground(SIGSTOP)
      try terminal.setEcho(true)
      try terminal.signalForeground(SIGCONT)
      try terminal.expect("alice: ")
      #expect(!terminal.echoes)
      try terminal.send(Self.password + "\n", awaiting: "Logged in as alice")
    }
    #expect(end == .exited(0))
  }
}
