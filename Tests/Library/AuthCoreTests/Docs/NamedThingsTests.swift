import Testing

/// Everything that the documents mention exists: make targets, files, folders and test suites.
@Suite(.timeLimit(.minutes(10))) struct NamedThingsTests {
  private static let documents = ["README.md", "CONTRIBUTING.md", "fixtures/README.md"] + Repository.articles

  private static let tests = Result {
    try Repository.files(below: "Tests", suffix: ".swift").map(Repository.text(of:)).joined()
  }
  private static let paths = ["Sources", "Tests", "fixtures"].flatMap { top in
    Repository.files(below: top, suffix: "").map { "/\($0)" }
  }

  @Test("every make target, file, folder and test that a document names exists", arguments: documents)
  func named(_ document: String) throws {
    let targets = try Repository.text(of: "Makefile").matches(of: /(?m)^(?<name>[a-z-]+):/).map(\.name)
    let (tests, paths) = (try Self.tests.get(), Self.paths)
    let spans = try Self.spans(of: document)
    #expect(!spans.isEmpty)
    for span in spans {
      if let target = span.prefixMatch(of: /make (?<name>[a-z-]+)/)?.name { #expect(targets.contains(target)) }
      let file = /[A-Za-z+\/.-]+(?:\.(?:swift|md|txt|c|sh)|\/)/
      if let name = span.wholeMatch(of: file)?.output, !name.contains("NAME") {
        let exists = paths.contains { name.hasSuffix("/") ? $0.contains("/\(name)") : $0.hasSuffix("/\(name)") }
        #expect(exists, "\(name)")
      }
      let filter = span.firstMatch(of: /swift test --filter '?(?<names>[A-Za-z|]+)/)?.names ?? ""
      for name in filter.split(separator: "|") where name != "NAME" {
        #expect(tests.contains("struct \(name) {") || tests.contains("struct \(name): "), "\(name)")
      }
    }
  }

  @Test(
    "every folder is on the map",
    arguments: [
      ("CONTRIBUTING.md", "Sources"), ("CONTRIBUTING.md", "Sources/Library"), ("CONTRIBUTING.md", "Sources/Accounts"),
      ("CONTRIBUTING.md", "Sources/Programs"), ("CONTRIBUTING.md", "Sources/System"), ("CONTRIBUTING.md", "Tests"),
      ("CONTRIBUTING.md", "Sources/Library/AuthCore"),
      ("CONTRIBUTING.md", "Sources/Programs/AuthCLIProgram"),
      ("fixtures/README.md", "fixtures"),
    ])
  func rooms(_ map: String, _ building: String) throws {
    let text = try Repository.text(of: map)
    let rooms = Repository.folders(in: building)
    #expect(rooms.count > 3)
    #expect(rooms.filter { !text.contains("\($0)/") } == [])
  }

  @Test("every suite has a time limit, so that a fault that lets a test wait for ever is reported")
  func timeLimits() throws {
    // A suite in an extension has the limit of the suite that it extends.
    let unlimited = try Repository.files(below: "Tests", suffix: ".swift").filter { path in
      let text = try Repository.text(of: path)
      return text.contains("  @Test") && !text.contains(".timeLimit(")
        && !text.contains(/(?m)^extension \w+(?:Tests|Suites) \{$/)
    }
    #expect(unlimited == [], "write @Suite(.timeLimit(.minutes(10)))")
  }

  @Test("the article on the guards lists every public type of Guards, and each guard is raced and measured")
  func guards() throws {
    let article = try Repository.text(of: "Sources/Library/Guards/Guards.docc/Guards.md")
    let types = try Repository.files(below: "Sources/Library/Guards", suffix: ".swift").flatMap { path in
      let text = try Repository.text(of: path)
      return text.matches(of: /(?m)^public (?:final )?(?:class|struct|enum|protocol|actor) (?<name>\w+)/).map {
        (name: String($0.name), isInlinable: text.contains("@inlinable"))
      }
    }
    #expect(types.count >= 5)
    // The types that a guard returns, and the protocol for adopting it.
    let others: Set = ["Passage", "PassageOutcome", "RunsOnce"]
    for (name, isInlinable) in types {
      let isListed = article.contains("\n- ``\(name)``\n")
      #expect(isListed, "\(name)")
      if others.contains(name) { continue }
      let race = try? Repository.text(of: "Tests/Library/GuardsTests/\(name)RaceTests.swift")
      #expect(race?.contains("TwoThreads.race") == true, "race \(name) in \(name)RaceTests.swift")
      #expect(race?.contains("func published") == true, "show in \(name)RaceTests.swift that the published form fails")
      if isInlinable {
        let measured = try Repository.text(of: "Tests/Support/Benchmarks/Sources/benchmarks/Guards.swift")
        #expect(measured.contains("\"\(name): "), "measure \(name) in Guards.swift of the benchmarks")
      }
    }
  }

  /// The code spans outside blocks, and the lines of shell blocks.
  private static func spans(of document: String) throws -> Set<String> {
    let text = try Repository.text(of: document)
    let shell = text.matches(of: /(?s)```sh\n(?<lines>.*?)```/).flatMap { $0.lines.split(separator: "\n") }
    let spans = text.replacing(/(?ms)^ *```.*?^ *```$/, with: "").matches(of: /`+(?<code>[^`]+)`+/).map(\.code)
    return Set((shell + spans).map { String($0).replacing(/\s+/, with: " ") })
  }
}
