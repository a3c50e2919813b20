import Glibc
import Terminals
import Testing

/// The question on a real pseudo-terminal, asked in a process of its own that signals can kill.
@Suite("Asking for a secret on a terminal", .timeLimit(.minutes(10)))
struct QuestionTests {
  /// The signals of which the process dies: the first two by their keys.
  static let fatal: [(signal: Int32, key: String?)] =
    [(SIGINT, "\u{3}"), (SIGQUIT, "\u{1C}")] + [SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXCPU].map { ($0, nil) }

  @Test("it dies of the signal, with the echo on again", arguments: fatal)
  func signals(_ signal: Int32, key: String?) async throws {
    let terminal = try await TerminalChild.ask().run(endsWith: .signal(signal)) { terminal in
      try terminal.expect("Secret: ")
      #expect(!terminal.echoes)
      try terminal.send("half a pass")
      if let key { try terminal.send(key) } else { try terminal.signalForeground(signal) }
    }
    #expect(!terminal.transcript.contains("half"))
  }

  @Test("the echo stays off while the answer is checked, and signals act at once", arguments: fatal)
  func delay(_ signal: Int32, key: String?) async throws {
    let terminal = try await TerminalChild.check(endless: true).run(endsWith: .signal(signal)) { terminal in
      try terminal.expect("Secret: ")
      try terminal.send("wrong\n", awaiting: "<checking>")
      #expect(!terminal.echoes)
      try terminal.send("typed too early\n", awaiting: "<typed>")
      #expect(!terminal.echoes)
      if let key { try terminal.send(key) } else { try terminal.signalForeground(signal) }
    }
    #expect(!terminal.transcript.contains("early"))
  }

  @Test("what is typed while the answer is checked is discarded at the end")
  func discardsLateInput() async throws {
    try await TerminalChild.check(endless: false).run { terminal in
      try terminal.expect("Secret: ")
      try terminal.send("wrong\n", awaiting: "<checking>")
      try terminal.send("typed too early\n", awaiting: "<typed>")
      try terminal.expect("<left: 0>")
    }
  }

  @Test("what was typed before the question is not its answer")
  func discardsTypeAhead() async throws {
    try await TerminalChild.ask(afterTypeAhead: true).run { terminal in
      try terminal.expect("<ready>")
      try terminal.send("typed ahead\n", awaiting: "Secret: ")
      try terminal.send("the answer\n", awaiting: "<the answer>")
    }
  }

  @Test(
    "what is no answer is refused, with the echo on again",
    arguments: [
      ("\u{4}", "<nothing_entered>"),
      // ^D after a beginning.
      ("abc\u{4}\u{4}", "<nothing_entered>"),
      ("a\u{0}b\n", "<nul_in_line>"),
      (String(repeating: "x", count: 5000) + "\n", "<line_too_long>"),
      ("", "<timed_out>"),
      ("half", "<timed_out>"),
      ("\n", "<>"),
      // A line in two parts.
      ("abc\u{4}d\n", "<abcd>"),
      ("\u{15}a b \n", "<a b >"),
    ])
  func refusals(typed: String, outcome: String) async throws {
    let waits = outcome != "<timed_out>"
    try await TerminalChild.ask(milliseconds: waits ? 60_000 : 150).run { terminal in
      try terminal.expect("Secret: ")
      try terminal.send(typed, awaiting: outcome)
    }
  }

  @Test("after a stop that the system does not grant, and after a continuation, it asks again from the beginning")
  func asksAgain() async throws {
    try await TerminalChild.ask().run { terminal in
      try terminal.expect("Secret: ")
      try terminal.send("first ")
      // Nobody could continue this process group, so the key does not stop it.
      try terminal.send("\u{1A}", awaiting: "Secret: ")
      #expect(!terminal.echoes)
      try terminal.send("second ")
      try terminal.signalForeground(SIGCONT)
      try terminal.expect("Secret: ")
      #expect(!terminal.echoes)
      try terminal.send("third\n", awaiting: "<third>")
    }
  }

  @Test("a signal that was ignored stays ignored")
  func ignoredSignal() async throws {
    try await TerminalChild.ask().run(ignoring: SIGHUP) { terminal in
      try terminal.expect("Secret: ")
      try terminal.signalForeground(SIGHUP)
      try terminal.send("still here\n", awaiting: "<still here>")
    }
  }
}
