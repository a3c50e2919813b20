import CommandLineKit
import Glibc
import Testing

@testable import AuthProgram

@Suite struct HandOverTests {
  private func needsDatabase(_ words: [String]) -> Bool {
    var line = (["auth-cli"] + words).map { strdup($0) } + [nil]
    defer { for word in line { free(word) } }
    return HandOver.needsDatabase(&line)
  }

  @Test("every command hands over before its words are read, except those that describe the program")
  func commands() throws {
    let descriptions = try #require(AuthTool.tool.groups.last).commands
    for command in AuthTool.tool.commands {
      let describes = descriptions.contains { $0.name == command.name }
      for name in command.names { #expect(needsDatabase([name]) == !describes, "\(name)") }
    }
  }

  @Test(
    "help and the version need no database",
    arguments: ["", "--version", "--help", "status --help", "pay 1 -h", "--json status", "status --version"])
  func describing(line: String) {
    #expect(!needsDatabase(line.split(separator: " ").map(String.init)))
  }
}
