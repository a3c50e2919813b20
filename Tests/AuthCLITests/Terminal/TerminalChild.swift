import Glibc
import Races
import Terminals
import Testing
import TextFormat

@testable import CommandLineKit

/// What a process under test does on its pseudo-terminal.
///
/// It tells there how it ended.
enum TerminalChild: Codable {
  /// Asks once, perhaps only after something was typed.
  case ask(milliseconds: Int = 60_000, afterTypeAhead: Bool = false)
  /// Asks, and stays silent as if it checked the answer, until something was typed.
  case check(endless: Bool)

  /// Runs the process on a new terminal while `dialogue` answers it, and returns the terminal.
  ///
  /// It checks that the process ends as `end` says, and that the settings of the terminal are as
  /// they were before, unless the dialogue hung up. The process ignores the signal `ignored` from
  /// the start.
  @discardableResult
  func run(
    columns: UInt16 = 80, rows: UInt16 = 24, endsWith end: ExitTest.Condition = .exitCode(0),
    ignoring ignored: Int32? = nil, _ dialogue: @escaping @Sendable (PseudoTerminal) throws -> Void
  ) async throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    let (child, path, before) = (self, terminal.path, terminal.settings)
    let answers = OwnThread { try dialogue(terminal) }
    await #expect(processExitsWith: end) {
      [child = child as TerminalChild, path = path as String, ignored = ignored as Int32?] in
      if let ignored { signal(ignored, SIG_IGN) }
      child.play(path)
    }
    try await answers.result
    if !terminal.isHungUp { #expect(terminal.settings == before) }
    return terminal
  }

  private func play(_ path: String) -> Never {
    let own = Self.adopt(path)
    do throws(CommandError) {
      switch self {
      case .ask(let milliseconds, let afterTypeAhead):
        if afterTypeAhead {
          Self.tell(path, "<ready>")
          Self.awaitInput(own)
        }
        let terminal = try Question(insteadUse: "with --flag")
        let line = try terminal.line("Secret: ", within: .milliseconds(milliseconds))
        // Its end comes before the outcome is told.
        _ = consume terminal
        Self.tell(path, "<\(TextEscaping.escape(line))>")
      case .check(let endless):
        let terminal = try Question(insteadUse: "with --flag")
        _ = try terminal.line("Secret: ")
        Self.tell(path, "<checking>")
        Self.awaitInput(own)
        Self.tell(path, "<typed>")
        while endless { poll(nil, 0, 60_000) }
        // The terminal is silent up to here, and no longer than that.
        _ = consume terminal
        var left: Int32 = -1
        precondition(ioctl(own, UInt(FIONREAD), &left) == 0)
        Self.tell(path, "<left: \(left)>")
      }
    } catch {
      Self.tell(path, "<\(error.code)>")
    }
    exit(0)
  }

  /// Makes the pseudo-terminal the controlling terminal of this process, as the leader of a new
  /// session.
  static func adopt(_ path: String) -> Int32 {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(UInt32(4)), &none)  // RLIMIT_CORE
    precondition(setsid() > 0)
    let terminal = open(path, O_RDWR)
    precondition(terminal >= 0 && tcgetpgrp(terminal) == getpgrp())
    return terminal
  }

  private static func awaitInput(_ terminal: Int32) {
    var event = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    precondition(poll(&event, 1, 60_000) == 1)
  }

  static func tell(_ path: String, _ text: String) {
    let terminal = open(path, O_RDWR | O_NOCTTY)
    let bytes = Array((text + "\n").utf8)
    precondition(write(terminal, bytes, bytes.count) == bytes.count)
    close(terminal)
  }
}
