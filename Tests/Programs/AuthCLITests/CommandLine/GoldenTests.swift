import Testing

@testable import AuthCLIProgram
@testable import CommandLineKit

@Suite("What is written from the table", .timeLimit(.minutes(10)))
struct GoldenTests {
  let tool = AuthTool.tool

  @Test("help for every command")
  func help() throws {
    let help = Help(tool, width: 80)
    try Golden.expect(help.overview, equals: "help.txt")
    try Golden.expect(try help.page(["statuses"]), equals: "help-statuses.txt")
    for location in tool.locations {
      let name = location.path.joined(separator: "-")
      try Golden.expect(try help.page(location.path), equals: "help-\(name).txt")
    }
    let kept = try TextFile.list("fixtures/golden", suffix: ".txt").filter { $0.contains("golden/help-") }
    #expect(kept.count == tool.locations.count + 1, "a page is kept of a command that is gone")
  }

  @Test("help stays within its width", arguments: [40, 60, 80, 100])
  func width(_ width: Int) throws {
    let help = Help(tool, width: width)
    for line in help.overview.split(separator: "\n") where !line.contains("auth-cli ") {
      #expect(DisplayWidth.columns(String(line)) <= width, "\(line)")
    }
  }

  @Test("help follows aliases, and a topic that does not exist is refused with the nearest")
  func topics() throws {
    let help = Help(tool, width: 80)
    #expect(try help.page(["whoami"]) == help.page(["status"]))
    for (topic, nearest) in [(["statusses"], "statuses"), (["sessions", "revok"], "revoke")] {
      #expect {
        try help.page(topic)
      } throws: { ($0 as? CommandError)?.message.hasSuffix("did you mean '\(nearest)'?") == true }
    }
  }

  @Test("the manual page")
  func manual() throws {
    try Golden.expect(tool.manual, equals: "auth-cli.1")
  }

  @Test("no line of its text is longer than the 80 bytes that mandoc allows")
  func manualWidth() {
    for line in tool.manual.split(separator: "\n") where line.first != "." {
      #expect(line.utf8.count <= 80, "\(line)")
    }
  }

  @Test("completions", arguments: Shell.allCases)
  func completions(_ shell: Shell) throws {
    try Golden.expect(tool.completionScript(for: shell), equals: "completions.\(shell.rawValue)")
  }
}
