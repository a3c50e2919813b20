import AuthBackend
import Programs
import Terminals
import Testing

@testable import CommandLineKit

/// Lists on terminals that are too narrow for their tables.
@Suite("Lists on a narrow terminal", .timeLimit(.minutes(10)))
struct NarrowTerminalTests {
  private func shown(_ line: String, in home: CommandHome, columns: Int) async throws -> [String] {
    let (end, text) = try await home.play(line, columns: columns)
    #expect(end == .exited(0), "\(text)")
    return text.split(separator: "\r\n").map { String($0).replacing(/\u{1B}\[[0-9;]*m/, with: "") }
  }

  @Test("no line is wider than the terminal, nothing is cut off, and the times carry their zone")
  func events() async throws {
    let home = try await CommandHome()
    _ = try await home.run("login alice --password-stdin", input: "a wrong password")
    try await home.succeed("login alice", as: "alice")
    try await home.succeed("reauth", as: "alice")
    try await home.succeed("accounts disable bob")
    for columns in [40, 80] {
      for line in ["events", "sessions", "receipts", "accounts list"] {
        let lines = try await shown(line, in: home, columns: columns)
        for text in lines { #expect(DisplayWidth.columns(text) <= columns, "\(line): \(text)") }
        let whole = lines.joined(separator: "\n")
        #expect(!whole.contains("…"), "\(line): \(whole)")
        #expect(whole.contains("GMT"), "\(line): \(whole)")
        // The first line is the bar, the second the titles of a table.
        if columns == 80 { #expect(lines[1].contains(#/^(TIME|SESSION|RECEIPT|USERNAME) .*  /#), "\(line): \(whole)") }
      }
      let events = try await shown("events", in: home, columns: columns).joined(separator: "\n")
      for name in [EventName.loginSucceededAfterFailures, .reauthenticated, .userDisabled, .loginFailed] {
        #expect(events.contains(try Regex("(event|GMT.*|:..) +\(name.rawValue)(\n|  )")), "\(events)")
      }
    }
  }
}
