import Programs
import Testing

@Suite("The tutorial 'Build an inbox'", .timeLimit(.minutes(10))) struct TutorialTests {
  private static let catalog = "Sources/Library/AuthOAuth/AuthOAuth.docc"

  /// The files of the steps, in their order.
  private static func files() throws -> [String] {
    try Repository.text(of: "\(catalog)/BuildAnInbox.tutorial").matches(of: /@Code\(name: "(?<name>\w+).swift"/).map {
      String($0.name)
    }
  }

  @Test("the code of its steps compiles after each step", arguments: Effort.isComplete ? Array(1...7) : [7])
  func compiles(steps: Int) async throws {
    let files = try Self.files()
    try #require(files.count == 7)
    let code = try files.prefix(steps).map { ($0, try Repository.text(of: "\(Self.catalog)/Tutorial/\($0).swift")) }
    #expect(try await ClientCompiler.compile(Dictionary(uniqueKeysWithValues: code)) == [:])
  }
}

@Suite("The article 'From another library'", .timeLimit(.minutes(10))) struct FromAnotherLibraryTests {
  @Test("each test that it names exists")
  func named() throws {
    let article = try Repository.text(of: "Sources/Library/AuthOAuth/AuthOAuth.docc/FromAnotherLibrary.md")
    let tests = try Repository.files(below: "Tests", suffix: ".swift").map(Repository.text(of:)).joined()
    let named = article.matches(of: /(?m)\| "(?<title>[^"]+)" \|$/).map(\.title)
    #expect(named.count == 13)
    for title in named { #expect(tests.contains("\"\(title)\""), "\(title)") }
  }
}
