import Glibc
import Terminals
import Testing

@testable import CommandLineKit

/// Closed pipes, full devices and closed descriptors are in the transcripts `streams.t` and
/// `fault-environment.t`.
@Suite("Output streams", .timeLimit(.minutes(10)))
struct OutputStreamTests {
  @Test("the width is that of the terminal, else COLUMNS, else 80")
  func width() throws {
    let terminal = try PseudoTerminal(columns: 132)
    let descriptor = open(terminal.path, O_RDWR | O_NOCTTY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(TerminalWidth.columns(of: descriptor, environment: { _ in "100" }) == 132)
    #expect(TerminalWidth.columns(of: -1, environment: { $0 == "COLUMNS" ? "100" : nil }) == 100)
    for value in ["", "0", "-5", "1e9", "x", "99999999999999999999"] {
      #expect(TerminalWidth.columns(of: -1, environment: { _ in value }) == 80)
    }
  }
}
