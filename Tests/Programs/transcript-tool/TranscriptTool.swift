import AuthAccounts
import AuthCore
import AuthRules
import DatabaseFiles
import Glibc
import Programs
import Terminals

/// What transcripts need and a shell lacks; `fixtures/transcripts/tools.sh` names it all.
@main
enum TranscriptTool {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    let rest = Array(words.dropFirst())
    do {
      switch words.first {
      case "terminal": exit(try await terminal(rest))
      case "screen": exit(try await screen(rest))
      case "code": print(code(periodsAhead: rest.first.flatMap { Int64($0) } ?? 0))
      case "sql": exit(try sql(rest[0], rest[1], command: rest.dropFirst(2)))
      case "openings": print(try openingsUntilQuiet(in: rest[0]))
      case "books": print(Books(rest[0]).map { "\($0)" } ?? "no books")
      case _: throw Failure(description: "unknown: \(words)")
      }
    } catch {
      print("\(error)")
      exit(99)
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a command on a terminal as wide as `COLUMNS` says, shows the terminal as a person sees
  /// it at the end, and returns the status of the command.
  ///
  /// Each line of standard input is a question, up to the first colon and blank, and what is typed
  /// once it was asked: text and Enter; a key such as `^C`; or `!` and a command of the shell,
  /// which reads what was shown so far, and whose output is typed. Keys and commands may also stand
  /// alone. Without a colon it is text that is awaited; an empty line awaits the end of a line.
  private static func terminal(_ command: [String]) async throws -> Int32 {
    try await play(command, showing: true) { line, terminal, program in
      let isAnswer = line.hasPrefix("!") || line.hasPrefix("^")
      let end = isAnswer ? line.startIndex : line.firstRange(of: ": ")?.upperBound
      try terminal.expect(line.isEmpty ? "\n" : String(line[..<(end ?? line.endIndex)]))
      guard let end else { return }
      let answer = line[end...]
      if answer.count == 2, answer.first == "^" {
        try terminal.send(typed(answer))
      } else if answer.first == "!" {
        try terminal.send(try await shell(answer.dropFirst(), reading: terminal.transcript, of: program).text)
      } else {
        try terminal.send(answer + "\n")
      }
    }
  }

  /// Runs a full-screen program on a terminal as wide as `COLUMNS` says, and returns its status.
  ///
  /// Each line of standard input is a step: `see TEXT` waits until the screen shows the text, `keys
  /// TEXT` and `paste TEXT` type, `click TEXT` presses the mouse on the row with the text, `leave
  /// TEXT` leaves a page that takes nothing before a pause, to a screen with the text. `! COMMAND`
  /// runs a command of the shell, which reads the screen and then all that was shown, and must
  /// succeed; `type COMMAND` types what it prints. At the end the terminal must show its normal
  /// screen.
  private static func screen(_ command: [String]) async throws -> Int32 {
    try await play(command, showing: false) { line, terminal, program in
      let verb = line.prefix { $0 != " " }
      let text = String(line.dropFirst(verb.count + 1))
      switch verb {
      case "see": try terminal.expectScreen(text, columns: columns)
      case "keys": try terminal.send(typed(text))
      case "paste": try terminal.send("\u{1B}[200~\(text)\u{1B}[201~")
      case "click":
        let lines = try terminal.expectScreen(text, columns: columns).frame.lines
        let row = 1 + (lines.firstIndex { $0.contains(text) } ?? 0)
        try terminal.send("\u{1B}[<0;5;\(row)M\u{1B}[<0;5;\(row)m")
      case "leave":
        // A page with codes asks before it closes.
        let question = "c close  Esc back"
        func shows(_ screen: SmallScreen) -> Bool { screen.text.contains(text) }
        func hint(_ screen: SmallScreen) -> String? {
          ["Enter or Esc: go on", "Esc close", question].first { screen.text.contains($0) }
        }
        while true {
          let screen = try terminal.expectScreen(columns: columns) { shows($0) || hint($0) != nil }
          guard !shows(screen), let hint = hint(screen) else { break }
          // Either the page goes, or the pause begins again.
          try terminal.send(hint == question ? "c" : typed("⎋"))
          try terminal.expectScreen("no page that can be left", columns: columns) { !$0.text.contains(hint) }
        }
      case "!", "type":
        let screen = try terminal.screen(columns: columns).text
        let outcome = try await shell(text, reading: screen + "\n" + terminal.transcript, of: program)
        guard outcome.ending == .exited(0) else { throw Failure(description: "\(line): \(outcome.text)") }
        if verb == "type" { try terminal.send(outcome.text.filter { $0 != "\n" }) }
      case _: throw Failure(description: "unknown: \(line)")
      }
    }
  }

  private static let columns = Program.inheritedEnvironment["COLUMNS"].flatMap { Int($0) } ?? 80

  /// Runs a command on a terminal while each line of standard input is a step.
  private static func play(
    _ command: [String], showing: Bool, _ step: (String, PseudoTerminal, pid_t) async throws -> Void
  ) async throws -> Int32 {
    let terminal = try PseudoTerminal(columns: UInt16(columns))
    let before = terminal.settings
    let program = try terminal.launch(["/usr/bin/env"] + command, environment: Program.inheritedEnvironment)
    defer { if showing { print(terminal.transcript.replacing("\r\n", with: "\n"), terminator: "") } }
    while let line = readLine() { try await step(line, terminal, program.id) }
    _ = try terminal.expectEnd()
    let end = try program.wait()
    guard terminal.settings == before else {
      throw Failure(description: "The settings of the terminal are not restored.")
    }
    let screen = try terminal.screen(columns: columns)
    guard showing || screen.modes == [7, 25] && screen.unknown.isEmpty else {
      throw Failure(description: "The terminal has the modes \(screen.modes), and was sent \(screen.unknown).")
    }
    return switch end {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }

  /// The bytes of keys in the signs that `tools.sh` lists.
  private static func typed(_ keys: some StringProtocol) -> String {
    let named =
      [
        "⏎": "\r", "⎋": "\u{1B}", "↑": "\u{1B}[A", "↓": "\u{1B}[B", "⇱": "\u{1B}[H", "⇲": "\u{1B}[F",
      ] as [Character: String]
    var isControl = false
    return keys.reduce(into: "") { bytes, key in
      if key == "^" { return isControl = true }
      let control = isControl ? key.asciiValue.map { String(Unicode.Scalar($0 & 0x1F)) } : nil
      bytes += control ?? named[key] ?? String(key)
      isControl = false
    }
  }

  private static func shell(
    _ line: some StringProtocol, reading input: String, of program: pid_t
  ) async throws -> ProgramOutcome {
    let environment = Program.inheritedEnvironment.merging(["PROGRAM": "\(program)"]) { $1 }
    let script = ". \"$TESTDIR/tools.sh\"; \(line)"
    return try await Program(
      "sh", ["-c", script], environment: environment, input: Array(input.utf8), timeLimit: .seconds(60)
    ).run()
  }

  /// The code that an authenticator app shows now, or some periods ahead; standard input is the
  /// secret.
  private static func code(periodsAhead: Int64) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    let microseconds = WallTime.now().microseconds + periodsAhead * TOTP.period * 1_000_000
    let code = TwoStepSecret(bytes: Array(bytes.prefix(count)), username: "").code(
      at: WallTime(microseconds: microseconds))
    return String(decoding: code.bytes, as: UTF8.self)
  }

  /// Runs statements and prints their rows; then, with the database still open, a command.
  private static func sql(_ path: String, _ statements: String, command: ArraySlice<String>) throws -> Int32 {
    let file = try DatabaseFile(path)
    for row in try file.run(statements) { print(row) }
    if command.isEmpty { return 0 }
    fflush(nil)
    let program = try TerminalProcess(["/usr/bin/env"] + command, environment: Program.inheritedEnvironment)
    guard case .exited(let status) = try program.wait(within: .seconds(100)) else { return 99 }
    return status
  }

  /// How often a file in the directory is opened until none is for half a second; at most a
  /// thousand times.
  private static func openingsUntilQuiet(in directory: String) throws -> Int {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, directory, UInt32(IN_OPEN)) >= 0 else {
      throw Failure(description: "\(directory) cannot be watched: error \(errno)")
    }
    var count = 0
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var buffer = [UInt8](repeating: 0, count: 512)
    while count < 1000, poll(&event, 1, 500) > 0, read(descriptor, &buffer, buffer.count) > 0 { count += 1 }
    return count
  }
}
