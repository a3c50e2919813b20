import Testing

/// The diagram in the documentation is the one that the machine prints.
@Suite struct DiagramTests {
  @Test("the article on the session machine shows the golden diagram")
  func articleShowsGolden() throws {
    let article = try Repository.text(of: "Sources/AuthCore/AuthCore.docc/TheSessionMachine.md")
    let golden = try Repository.text(of: "fixtures/golden/machine.mmd")
    #expect(article.contains("```mermaid\n\(golden)```"))
  }
}
