import Testing

@testable import AuthCore

/// The articles on the session machine, and the picture of it, have every state.
@Suite(.timeLimit(.minutes(10))) struct DiagramTests {
  private static let path = "Sources/Library/AuthCore/AuthCore.docc/TheSessionMachine.md"

  @Test("the articles name every state", arguments: SessionState.Kind.allCases)
  func names(_ state: SessionState.Kind) throws {
    let type = state.rawValue.prefix(1).uppercased() + state.rawValue.dropFirst()
    #expect(try Repository.text(of: Self.path).contains("\n| `\(type)` | "))
    #expect(try Repository.text(of: "Sources/Library/AuthCore/AuthCore.docc/StatePattern.md").contains("`\(type)`"))
    let words = state.rawValue.replacing(/[A-Z]/) { " \($0.output.lowercased())" }
    for path in ["README.md", Self.path] {
      let picture = try #require(Repository.text(of: path).firstMatch(of: /!\[The states.*?\]/)).output
      #expect(picture.contains(words), "the text of the picture in \(path)")
    }
  }
}
