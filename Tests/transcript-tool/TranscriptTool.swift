import AuthBackend
import AuthCore
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
      case "code": print(try code(secret: rest[0], periodsAhead: rest.count > 1 ? Int64(rest[1]) : 0))
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
  /// alone. Without a colon it is text that is awaited.
  private static func terminal(_ command: [String]) async throws -> Int32 {
    let columns = Program.inheritedEnvironment["COLUMNS"].flatMap { UInt16($0) } ?? 80
    let terminal = try PseudoTerminal(columns: columns)
    let before = terminal.settings
    let program = try terminal.launch(["/usr/bin/env"] + command, environment: Program.inheritedEnvironment)
    defer { print(terminal.transcript.replacing("\r\n", with: "\n"), terminator: "") }
    while let line = readLine() {
      let isAnswer = line.hasPrefix("!") || line.hasPrefix("^")
      let end = isAnswer ? line.startIndex : line.firstRange(of: ": ")?.upperBound
      try terminal.expect(String(line[..<(end ?? line.endIndex)]))
      guard let end else { continue }
      try terminal.send(try await typed(String(line[end...]), after: terminal.transcript, by: program.id))
    }
    _ = try terminal.expectEnd()
    let end = try program.wait()
    guard terminal.settings == before else {
      throw Failure(description: "The settings of the terminal are not restored.")
    }
    return switch end {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }

  private static func typed(_ answer: String, after screen: String, by program: pid_t) async throws -> String {
    if answer.count == 2, answer.first == "^", let key = answer.last?.asciiValue {
      return String(Unicode.Scalar(key & 0x1F))
    }
    guard answer.first == "!" else { return answer + "\n" }
    let environment = Program.inheritedEnvironment.merging(["PROGRAM": "\(program)"]) { $1 }
    let script = ". \"$TESTDIR/tools.sh\"; \(answer.dropFirst())"
    return try await Program(
      "sh", ["-c", script], environment: environment, input: Array(screen.utf8), timeLimit: .seconds(60)
    ).run().text
  }

  /// The code that an authenticator app with the secret shows now, or some periods ahead.
  private static func code(secret: String, periodsAhead: Int64?) throws -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = try secret.flatMap { character in
      guard let value = alphabet.firstIndex(of: character) else { throw Failure(description: "\(secret)") }
      return (0..<5).map { value >> (4 - $0) & 1 }
    }
    let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(into: UInt8(0)) { $0 = $0 << 1 | UInt8($1) }
    }
    let microseconds = WallTime.now().microseconds + (periodsAhead ?? 0) * TOTP.period * 1_000_000
    let code = TwoStepSecret(bytes: bytes, username: "").code(at: WallTime(microseconds: microseconds))
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
