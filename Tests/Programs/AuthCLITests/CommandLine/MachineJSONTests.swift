import Testing

@testable import AuthCLIProgram

@Suite("The table of the session machine", .timeLimit(.minutes(10)))
struct MachineTableTests {
  private static let table = MachineTable.shipped

  @Test("the text fits a terminal", arguments: [60, 80, 120])
  func textFits(_ width: Int) {
    let lines = Self.table.lines(width: width)
    #expect(lines.allSatisfy { $0.count <= width })
    #expect(lines.count > Self.table.rows.count)
  }

  @Test("the golden text and diagram")
  func goldenText() throws {
    for (name, lines) in [("machine.txt", Self.table.lines(width: 100)), ("machine.mmd", Self.table.mermaid)] {
      try Golden.expect(lines.map { $0 + "\n" }.joined(), equals: name)
    }
  }

  /// A line for each cell, so that a difference can be read.
  @Test("the golden document")
  func golden() throws {
    try Golden.expect(Self.table.json.replacing(#"{"state":"#, with: "\n" + #"{"state":"#), equals: "machine.json")
  }
}
