import CommandLineKit
import Testing

@testable import AuthProgram

@Suite struct HandOverTests {
  @Test("every command hands over to the program for a server, except those that describe the program")
  func commands() throws {
    let parser = Parser(AuthTool.tool)
    let descriptions = try #require(AuthTool.tool.groups.last).commands.map(\.name)
    for location in AuthTool.tool.locations where location.command.request != nil {
      for example in location.command.examples {
        guard case .request(let body, _) = try parser.parse(CommandTableTests.words(example.line)) else {
          Issue.record("\(example.line) asks for no command")
          continue
        }
        #expect(body.asksDatabase == !descriptions.contains(location.path[0]), "\(example.line)")
      }
    }
  }
}
