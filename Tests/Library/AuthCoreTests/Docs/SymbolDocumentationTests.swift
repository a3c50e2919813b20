import Testing

/// Every public symbol is documented.
///
/// The formatter's rule omits enum cases, protocol requirements and members of public extensions;
/// the compiler's symbol graph has them all.
@Suite(.timeLimit(.minutes(10))) struct SymbolDocumentationTests {
  @Test("every public symbol has a doc comment", arguments: try Self.modules())
  func documented(_ module: String) async throws {
    let symbols = try await SymbolGraph.extract(module).symbols.filter(\.isOurs)
    #expect(symbols.count > 5)
    let bare = symbols.filter { !$0.isDocumented }.map { $0.pathComponents.joined(separator: ".") }
    #expect(bare.isEmpty, "without documentation in \(module):\n\(bare.sorted().joined(separator: "\n"))")
  }

  @Test("every public enum of a stable library says that it is frozen", arguments: ["Guards", "AuthCore", "AuthOAuth"])
  func frozen(_ module: String) async throws {
    let enums = try await SymbolGraph.extract(module).symbols.filter { $0.kind.identifier == "swift.enum" }
    try #require(!enums.isEmpty)
    for type in enums where type.pathComponents != ["RunOnce"] {  // It has no cases.
      let lines = type.docComment?.lines.map(\.text) ?? []
      #expect(lines.contains { $0.contains("Frozen: a later version adds no case.") }, "\(type.pathComponents)")
    }
  }

  /// The libraries that other packages may use.
  private static func libraries() throws -> [String] {
    try Repository.text(of: "Package.swift").matches(of: /\.library\(name: "(?<name>\w+)"/).map { String($0.name) }
  }

  /// The modules of these libraries.
  private static func modules() throws -> [String] {
    let manifest = try Repository.text(of: "Package.swift")
    let targets = manifest.matches(of: /\.library\(name: "\w+", targets: \[(?<names>[^\]]+)\]/)
    return Set(targets.flatMap { $0.names.matches(of: /\w+/).map { String($0.output) } }).sorted()
  }

  @Test("the articles list every library, and the package index shows the stable ones")
  func listed() throws {
    let modules = try Repository.text(of: "Sources/Library/AuthCore/AuthCore.docc/AuthCore.md")
    let versions = try Repository.text(of: "Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc/Versions.md")
    for name in try Self.libraries() {
      #expect(modules.contains("\n| `\(name)` | ") && versions.contains("`\(name)`"), "\(name)")
    }
    let stable = try #require(versions.firstMatch(of: /\n\| API of [^|]*/)).output
    let index = try Repository.text(of: ".spi.yml")
    for name in stable.matches(of: /\w+(?=`)/) { #expect(index.contains("\(name.output),"), "\(name.output)") }
  }

  private static func isPublic(_ line: String) -> Bool { line.contains(/^ *(@\w+ +)*public (?!import )/) }

  @Test("AuthCore has at most 275 public declarations")
  func few() throws {
    let declared = try SourceFile.all(below: "Sources/Library/AuthCore").flatMap(\.code).filter(Self.isPublic)
    #expect((150...275).contains(declared.count), "now \(declared.count); make package what no app needs")
  }

  @Test("the accounts have at most 120 public declarations, in at most seven libraries with all others")
  func fewOfAccounts() throws {
    let declared = try SourceFile.all(below: "Sources/Accounts").flatMap(\.code).filter(Self.isPublic)
    #expect((60...120).contains(declared.count), "now \(declared.count); make package what no article uses")
    #expect(try Self.libraries().count <= 7)
  }

  @Test("every public error of the library has a message")
  func everyError() async throws {
    let graph = try await SymbolGraph.extract("AuthCore")
    func conformers(of suffix: String) -> Set<String> {
      Set(graph.relationships.filter { $0.kind == "conformsTo" && $0.target == suffix }.map(\.source))
    }
    let errors = conformers(of: "s:s5ErrorP")
    #expect(errors.count >= 10)
    let explained = "s:8AuthCore14ExplainedErrorP"
    #expect(errors.subtracting(conformers(of: explained)).subtracting([explained]) == [])
  }
}
