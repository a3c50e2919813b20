import Testing

/// Every public symbol is documented.
///
/// The formatter's own rule leaves out enum cases, protocol requirements and members of extensions
/// that are public as a whole; the compiler's symbol graph has them all.
@Suite struct SymbolDocumentationTests {
  @Test(
    "every public symbol has a doc comment",
    arguments: ["Guards", "AuthCore", "AuthCoreTesting", "AuthBackend", "AuthBackendTesting", "AuthLocal"])
  func documented(_ module: String) async throws {
    let symbols = try await SymbolGraph.extract(module).symbols.filter(\.isOurs)
    let bare = symbols.filter { !$0.isDocumented }.map { $0.pathComponents.joined(separator: ".") }
    #expect(bare.isEmpty, "without documentation in \(module):\n\(bare.sorted().joined(separator: "\n"))")
  }

  @Test("every public error of the library has words")
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

  @Test("the graph is seen to hold what the rule is about")
  func holdsSymbols() async throws {
    let symbols = try await SymbolGraph.extract("AuthCore").symbols
    let paths = Set(symbols.map { $0.pathComponents.joined(separator: ".") })
    #expect(paths.isSuperset(of: ["User", "User.displayName", "Role.administrator", "SessionVault.load()"]))
  }
}
