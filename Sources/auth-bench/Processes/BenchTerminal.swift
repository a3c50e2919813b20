import Glibc
import Terminals

/// A program on a pseudo-terminal of 80 columns and 24 rows, and what it draws.
final class BenchTerminal {
  /// The end of a frame: that of a synchronized update (DEC mode 2026).
  static let endOfFrame = "\u{1B}[?2026l"

  private let program: TerminalProcess
  private let terminal: PseudoTerminal

  var process: pid_t { program.id }

  /// Starts the program there, as the leader of a session of its own.
  init(_ program: ChildProcess) throws {
    try PageCache.readAgain(program.path)
    terminal = try PseudoTerminal()
    var environment = ["TERM": "xterm"]
    for variable in program.environment {
      let name = variable.prefix { $0 != "=" }
      environment[String(name)] = String(variable.dropFirst(name.count + 1))
    }
    self.program = try terminal.launch([program.path] + program.arguments, environment: environment)
  }

  /// Types.
  func send(_ text: String) throws { try terminal.send(text) }

  /// Reads up to the end of the next frame, and returns how many bytes that took.
  @discardableResult
  func frame() throws -> Int { try read(upTo: Self.endOfFrame) }

  /// Reads up to the end of the text, and returns how many bytes that took.
  @discardableResult
  func read(upTo text: String) throws -> Int {
    try terminal.expect(text, within: .seconds(20)).utf8.count
  }

  /// Reads for so long, and returns how many bytes came.
  func listen(milliseconds: Int32) throws -> Int {
    try terminal.expectEnd(within: .milliseconds(Int(milliseconds))).utf8.count
  }
}
