import Foundation
import Testing

@testable import AuthCore

/// The article on the session machine shows what the machine prints.
@Suite(.timeLimit(.minutes(10))) struct DiagramTests {
  private static let path = "Sources/Library/AuthCore/AuthCore.docc/TheSessionMachine.md"

  /// `RECORD_GOLDEN=1` writes the diagram into the article instead.
  @Test("the article shows the diagram that the machine prints")
  func diagram() throws {
    let block = "```mermaid\n\((try Repository.text(of: "fixtures/golden/machine.mmd")))```"
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
      let recorded = try Repository.text(of: Self.path).replacing(/(?s)```mermaid\n.*?```/, with: block)
      // Another test reads the article meanwhile.
      try Data(recorded.utf8).write(to: URL(filePath: Repository.root + "/" + Self.path), options: .atomic)
    }
    #expect(try Repository.text(of: Self.path).contains(block), "see RECORD_GOLDEN in CONTRIBUTING.md")
  }

  @Test("the articles name every state", arguments: SessionState.Kind.allCases)
  func names(_ state: SessionState.Kind) throws {
    let type = state.rawValue.prefix(1).uppercased() + state.rawValue.dropFirst()
    #expect(try Repository.text(of: Self.path).contains("\n| `\(type)` | "))
    #expect(try Repository.text(of: "Sources/Library/AuthCore/AuthCore.docc/StatePattern.md").contains("`\(type)`"))
    let words = state.rawValue.replacing(/[A-Z]/) { " \($0.output.lowercased())" }
    let picture = try #require(Repository.text(of: "README.md").firstMatch(of: /!\[The states.*?\]/)).output
    #expect(picture.contains(words), "the text of the picture in README.md")
  }
}
