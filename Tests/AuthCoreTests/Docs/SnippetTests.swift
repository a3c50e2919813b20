import Foundation
import Testing

/// Every Swift block of the documentation compiles on its own, as a reader would paste it.
@Suite struct SnippetTests {
  private static let files =
    Repository.articles
    + ["README.md", "CONTRIBUTING.md"].filter { (try? Repository.text(of: $0)) != nil }

  /// Stubs for modules that this system lacks: declarations without a body.
  private static let stubs = Task { () throws -> String in
    let directory = Repository.products + "/ClientModules/stubs"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for module in ["SwiftUI", "Security"] {
      let stub = "fixtures/stubs/\(module).swift"
      #expect(try await ClientCompiler.emit(module: module, [stub], to: directory) == [])
    }
    return directory
  }

  static let snippets = files.flatMap { Snippet.all(in: $0, text: (try? Repository.text(of: $0)) ?? "") }

  /// The compiler's diagnostics for each snippet, by name.
  ///
  /// One compiler run takes nearly all of them, each in a separate type. Only the snippets that it
  /// refuses in that form are compiled alone, without changes.
  private static let diagnostics = Task { () throws -> [String: [Diagnostic]] in
    let stubs = try await Self.stubs.value
    var together = snippets.filter { !$0.isExempt }
    var said: [String: [Diagnostic]] = [:]
    while !together.isEmpty {
      let files = Dictionary(uniqueKeysWithValues: together.map { ($0.name, $0.enclosed) })
      let refused = try await ClientCompiler.compile(module: files, with: stubs)
      if refused.isEmpty { break }
      let alone = together.filter { refused[$0.name] != nil || refused[""] != nil }
      for snippet in alone {
        let mode: ClientCompiler.Mode = snippet.code.contains("@main") ? .library : .script
        said[snippet.name] = try await ClientCompiler.compile(snippet.code, as: mode, with: stubs)
      }
      together.removeAll { said[$0.name] != nil }
    }
    return said
  }

  @Test("a documented snippet compiles without a diagnostic", arguments: snippets.filter { !$0.isExempt })
  func compiles(_ snippet: Snippet) async throws {
    let report = try await Self.diagnostics.value[snippet.name, default: []].map { diagnostic in
      let line = diagnostic.line.map { String(snippet.line + $0 - 1) } ?? "?"
      return "\(snippet.file):\(line): \(diagnostic.severity): \(diagnostic.message)"
    }
    #expect(report.isEmpty, "\(report.joined(separator: "\n"))")
  }

  @Test("a snippet that is not compiled says why", arguments: snippets.filter(\.isExempt))
  func saysWhy(_ snippet: Snippet) {
    let first = snippet.code.prefix { $0 != "\n" }
    #expect(first.count > Snippet.exemption.count + 5, "\(snippet.file):\(snippet.line)")
  }

  @Test("blocks are found with their line, even in lists, and blocks in other languages are ignored")
  func findsBlocks() {
    let text = """
      # Title

      ```swift
      let one = 1
      ```

      - item

        ```swift
        if true {
          two()
        }
        ```

      ```sh
      swift build
      ```

      ```swift
      // not built: SwiftUI is not here
      ```
      """
    let found = Snippet.all(in: "a.md", text: text)
    #expect(found.map(\.line) == [4, 10, 20])
    #expect(found.map(\.code).prefix(2) == ["let one = 1\n", "if true {\n  two()\n}\n"])
    #expect(found.map(\.isExempt) == [false, false, true])
  }

  @Test("a block without an end is an error")
  func unfinished() async throws {
    let found = Snippet.all(in: "a.md", text: "```swift\nlet one = 1\n")
    let diagnostics = try await ClientCompiler.compile(found.map(\.code).joined(), as: .script)
    #expect(diagnostics.map(\.message) == ["this block has no end"])
  }

  @Test("top-level code with await compiles as it would in main.swift")
  func script() async throws {
    let code = "func wait() async -> Int { 1 }\nlet one = await wait()\nprint(one)\n"
    let diagnostics = try await ClientCompiler.compile(code, as: .script)
    #expect(diagnostics == [])
  }
}
