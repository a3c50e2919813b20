import Glibc
import Programs
import Races
import Terminals
import Testing

/// The built program at its prompt, on a real pseudo-terminal.
@Suite("Logging in on a terminal", .timeLimit(.minutes(10)))
struct LogInTerminalTests {
  static let password = "marble kettle window harvest"

  /// A home with the account alice.
  private func home() async throws -> (scratch: ScratchDirectory, environment: [String: String]) {
    let scratch = try ScratchDirectory()
    let environment = [
      "HOME": scratch.path, "AUTH_CLI_HOME": scratch.path + "/auth", "PATH": "/usr/bin:/bin",
      "TERM": "xterm", "PS1": "ready> ",
    ]
    let register = Program(
      BuiltExecutable.shipped, ["register", "alice", "--password-stdin"], environment: environment,
      input: Array(Self.password.utf8), timeLimit: .seconds(60))
    let outcome = try await register.run()
    try #require(outcome.ending == .exited(0), "\(String(decoding: outcome.output, as: UTF8.self))")
    return (scratch, environment)
  }

  private let logIn = [BuiltExecutable.shipped, "login", "alice"]

  @Test(
    "it dies of the signal with the echo on again, and nobody is logged in",
    arguments: [SIGINT, SIGQUIT, SIGTERM, SIGHUP])
  func signals(_ signal: Int32) async throws {
    let (scratch, environment) = try await home()
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    try await onOwnThread { [logIn] in
      let program = try terminal.launch(logIn, environment: environment)
      try terminal.expect("alice: ")
      #expect(!terminal.echoes)
      switch signal {
      case SIGINT: try terminal.send("half\u{3}")
      case SIGQUIT: try terminal.send("half\u{1C}")
      case _: try terminal.signalForeground(signal)
      }
      #expect(try program.wait() == .signalled(signal))
    }
    #expect(terminal.settings == before)
    #expect(!terminal.transcript.contains("half"))
    _ = scratch
  }

  @Test("a session that ends while its renewal waits for the password makes way for a new one")
  func endedMeanwhile() async throws {
    let (scratch, environment) = try await home()
    let begin = Program(
      BuiltExecutable.shipped, ["login", "alice", "--password-stdin"], environment: environment,
      input: Array(Self.password.utf8), timeLimit: .seconds(60))
    try #require(try await begin.run().ending == .exited(0))
    let (terminal, other) = (try PseudoTerminal(), try PseudoTerminal())
    try await onOwnThread { [logIn] in
      let renewal = try terminal.launch(logIn, environment: environment)
      try terminal.expect("alice: ")
      let logOut = try other.launch([BuiltExecutable.shipped, "logout"], environment: environment)
      try other.expect("Logged out alice")
      #expect(try logOut.wait() == .exited(0))
      try terminal.send(Self.password + "\n")
      try terminal.expect("Logged in as alice")
      #expect(try renewal.wait() == .exited(0))
    }
    _ = scratch
  }

  @Test("^D gives up, with the echo on again")
  func endOfInput() async throws {
    let (scratch, environment) = try await home()
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    try await onOwnThread { [logIn] in
      let program = try terminal.launch(logIn, environment: environment)
      try terminal.expect("alice: ")
      try terminal.send("\u{4}")
      try terminal.expect("nothing was entered")
      guard case .exited(let status) = try program.wait() else { throw PseudoTerminal.Failure(description: "killed") }
      #expect(status != 0)
    }
    #expect(terminal.settings == before)
    _ = scratch
  }

  @Test("an Enter alone is no guess: the question is asked three times, and nothing is counted")
  func nothingEntered() async throws {
    let (scratch, environment) = try await home()
    try await onOwnThread { [logIn] in
      for _ in 1...2 {
        let terminal = try PseudoTerminal()
        let program = try terminal.launch(logIn, environment: environment)
        for _ in 1...3 {
          // What is typed before the question is discarded.
          try terminal.expect("alice: ")
          try terminal.send("\n")
        }
        _ = try terminal.expectEnd()
        #expect(try program.wait() == .exited(2))
        #expect(terminal.transcript.contains("Run the command again; nothing was changed."))
      }
    }
    // Six wrong passwords would have made it wait.
    let right = Program(
      BuiltExecutable.shipped, ["login", "alice", "--password-stdin"], environment: environment,
      input: Array(Self.password.utf8), timeLimit: .seconds(60))
    #expect(try await right.run().ending == .exited(0))
    _ = scratch
  }

  @Test(
    "^Z gives the echo back to the shell; after fg it is off, the question is asked again, and the answer counts")
  func stopAndContinue() async throws {
    let (scratch, environment) = try await home()
    let terminal = try PseudoTerminal()
    try await onOwnThread {
      let shell = try terminal.launch(["/bin/sh", "-i"], environment: environment)
      try terminal.expect("ready> ")
      try terminal.send("'\(BuiltExecutable.shipped)' login alice\n")
      try terminal.expect("alice: ")
      #expect(!terminal.echoes)
      try terminal.send("half\u{1A}")
      try terminal.expect("ready> ")
      #expect(terminal.echoes)
      try terminal.send("fg\n")
      try terminal.expect("alice: ")
      #expect(terminal.waitForEcho(false))
      try terminal.send(LogInTerminalTests.password + "\n")
      try terminal.expect("Logged in as alice")
      try terminal.expect("ready> ")
      #expect(terminal.echoes)
      try terminal.send("exit\n")
      #expect(try shell.wait() == .exited(0))
    }
    #expect(!terminal.transcript.contains("half"))
    #expect(!terminal.transcript.contains(Self.password))
    _ = scratch
  }

  @Test("stopped from outside and continued, with the shell's settings in between, it is silent again")
  func stoppedFromOutside() async throws {
    let (scratch, environment) = try await home()
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    try await onOwnThread { [logIn] in
      let program = try terminal.launch(logIn, environment: environment)
      try terminal.expect("alice: ")
      try terminal.signalForeground(SIGSTOP)
      try terminal.setEcho(true)
      try terminal.signalForeground(SIGCONT)
      try terminal.expect("alice: ")
      #expect(!terminal.echoes)
      try terminal.send(LogInTerminalTests.password + "\n")
      try terminal.expect("Logged in as alice")
      #expect(try program.wait() == .exited(0))
    }
    #expect(terminal.settings == before)
    _ = scratch
  }

  @Test("nothing that is typed during the delay of a refusal shows, and it is not left for the shell")
  func refusalDelay() async throws {
    let (scratch, environment) = try await home()
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    try await onOwnThread { [logIn] in
      let program = try terminal.launch(logIn, environment: environment)
      try terminal.expect("alice: ")
      try terminal.send("a wrong password\ntyped in the delay\n")
      try terminal.expect("auth-cli: ")
      #expect(try program.wait() == .exited(5))
    }
    #expect(terminal.settings == before)
    #expect(!terminal.transcript.contains("wrong password\r"))
    #expect(!terminal.transcript.contains("delay"))
    _ = scratch
  }

  @Test("without a terminal it says at once which option to use, and does not wait")
  func noTerminal() async throws {
    let (scratch, environment) = try await home()
    for words in [["login", "alice"], ["register", "bob"]] {
      let program = Program(
        BuiltExecutable.shipped, words, environment: environment, timeLimit: .seconds(60))
      let outcome = try await program.run()
      #expect(outcome.ending == .exited(2))
      #expect(String(decoding: outcome.output, as: UTF8.self).contains("--password-stdin"))
    }
    _ = scratch
  }
}
