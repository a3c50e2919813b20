import AuthCore
import Foundation
import Testing

@testable import AuthProgram

@Suite("The table of the session machine")
struct MachineTableTests {
  private static let table = MachineTable.shipped

  @Test("one document with an entry for every pair")
  func whole() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(Self.table.json.utf8))
    let document = try #require(parsed as? [String: Any])
    #expect(document["version"] as? Int == 1)
    #expect(Self.table.json.split(separator: "\n", omittingEmptySubsequences: false).map(\.isEmpty) == [false, true])
    #expect(document["states"] as? [String] == SessionState.Kind.allCases.map(\.rawValue))
    #expect(document["events"] as? [String] == Self.table.events)
    let cells = try #require(document["cells"] as? [[String: Any]])
    #expect(cells.count == Self.table.states.count * Self.table.events.count)
    for cell in cells {
      let answer = try #require(cell["answer"] as? String)
      #expect((cell["to"] is String) == (answer == "transition"))
      #expect((cell["reason"] is String) == (answer != "transition"))
      #expect((cell["permitted"] is [String]) == (answer == "rejected"))
      let outcomes = try #require(cell["outcomes"] as? [[String: Any]])
      #expect(outcomes.first?["answer"] as? String == answer)
    }
  }

  @Test("the text fits a terminal", arguments: [60, 80, 120])
  func textFits(_ width: Int) {
    let lines = Self.table.text(width: width).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width })
    #expect(lines.count > Self.table.rows.count)
  }

  @Test("the golden text and diagram")
  func goldenText() throws {
    try Golden.expect(Self.table.text(width: 100), equals: "machine.txt")
    try Golden.expect(Self.table.mermaid, equals: "machine.mmd")
  }

  /// A line for each cell, so that a difference can be read.
  @Test("the golden document")
  func golden() throws {
    try Golden.expect(
      Self.table.json.replacing(#"{"state":"#, with: "\n" + #"{"state":"#), equals: "machine.json")
  }
}
