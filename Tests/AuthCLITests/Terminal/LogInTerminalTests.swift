import Glibc
import Programs
import Races
import Terminals
import Testing

/// The built program at its prompt, on a real pseudo-terminal.
@Suite("Logging in on a terminal", .timeLimit(.minutes(10)))
struct LogInTerminalTests {
  private static let password = CommandHome.alice

  private func home() async throws -> CommandHome { try await CommandHome(executable: BuiltExecutable.shipped) }

  @Test(
    "it dies of the signal with the echo on again, and nobody is logged in",
    arguments: [SIGINT, SIGQUIT, SIGTERM, SIGHUP])
  func signals(_ signal: Int32) async throws {
    let (end, shown) = try await home().play("login alice") { terminal in
      try terminal.expect("alice: ")
      #expect(!terminal.echoes)
      switch signal {
      case SIGINT: try terminal.send("half\u{3}")
      case SIGQUIT: try terminal.send("half\u{1C}")
      case _: try terminal.signalForeground(signal)
      }
    }
    #expect(end == .signalled(signal) && !shown.contains("half"), "\(shown)")
  }

  @Test("a session that ends while its renewal waits for the password makes way for a new one")
  func endedMeanwhile() async throws {
    let home = try await CommandHome(loggedIn: true, executable: BuiltExecutable.shipped)
    let other = try PseudoTerminal()
    let renewal = try await home.play("login alice") { terminal in
      try terminal.expect("alice: ")
      let logOut = try other.launch(home.words("logout"), environment: home.environment)
      try other.expect("Logged out alice")
      #expect(try logOut.wait() == .exited(0))
      try terminal.send(Self.password + "\n")
      try terminal.expect("Logged in as alice")
    }
    #expect(renewal.end == .exited(0))
  }

  @Test("^D gives up, with the echo on again")
  func endOfInput() async throws {
    let (end, _) = try await home().play("login alice") { terminal in
      try terminal.expect("alice: ")
      try terminal.send("\u{4}")
      try terminal.expect("nothing was entered")
    }
    #expect(end == .exited(2))
  }

  @Test("an Enter alone is no guess: the question is asked three times, and nothing is counted")
  func nothingEntered() async throws {
    let home = try await home()
    for _ in 1...2 {
      let (end, shown) = try await home.play("login alice") { terminal in
        for _ in 1...3 {
          // What is typed before the question is discarded.
          try terminal.expect("alice: ")
          try terminal.send("\n")
        }
      }
      #expect(end == .exited(2) && shown.contains("Run the command again; nothing was changed."), "\(shown)")
    }
    // Six wrong passwords would have made it wait.
    try await home.succeed("login alice", as: "alice")
  }

  @Test(
    "^Z gives the echo back to the shell; after fg it is off, the question is asked again, and the answer counts")
  func stopAndContinue() async throws {
    let home = try await home()
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let shell = try terminal.launch(["/bin/sh", "-i"], environment: home.environment)
      try terminal.expect("ready> ")
      try terminal.send("'\(home.executable)' login alice\n")
      try terminal.expect("alice: ")
      #expect(!terminal.echoes)
      try terminal.send("half\u{1A}")
      try terminal.expect("ready> ")
      #expect(terminal.echoes)
      try terminal.send("fg\n")
      try terminal.expect("alice: ")
      #expect(terminal.waitForEcho(false))
      try terminal.send(Self.password + "\n")
      try terminal.expect("Logged in as alice")
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
      try terminal.send(Self.password + "\n")
      try terminal.expect("Logged in as alice")
    }
    #expect(end == .exited(0))
  }

  @Test("nothing that is typed during the delay of a refusal shows, and it is not left for the shell")
  func refusalDelay() async throws {
    let (end, shown) = try await home().play("login alice") { terminal in
      try terminal.expect("alice: ")
      try terminal.send("a wrong password\ntyped in the delay\n")
      try terminal.expect("auth-cli: ")
    }
    #expect(end == .exited(5))
    #expect(!shown.contains("wrong password\r") && !shown.contains("delay"), "\(shown)")
  }

  @Test("without a terminal it says at once which option to use, and does not wait")
  func noTerminal() async throws {
    let home = try await home()
    for line in ["login alice", "register carol"] {
      let outcome = try await home.run(line)
      #expect(outcome.ending == .exited(2))
      #expect(outcome.text.contains("--password-stdin"))
    }
  }
}
