import Foundation
import Testing

/// Every Swift block of the documentation compiles on its own, as a reader would paste it.
@Suite(.timeLimit(.minutes(10))) struct SnippetTests {
  private static let files = Repository.articles + ["README.md", "CONTRIBUTING.md"]

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

  static let snippets = files.flatMap { (try? Snippet.all(in: $0)) ?? [] }

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
      let refused = try await ClientCompiler.compile(files, with: stubs)
      if refused.isEmpty { break }
      let alone = together.filter { refused[$0.name] != nil || refused[""] != nil }
      for snippet in alone {
        let isScript = !snippet.code.contains("@main")
        let alone = try await ClientCompiler.compile([snippet.name: snippet.code], isScript: isScript, with: stubs)
        said[snippet.name] = alone.values.flatMap(\.self)
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

  @Test("every Swift block of a document is found, up to its end", arguments: files)
  func found(_ file: String) throws {
    let starts = try Repository.text(of: file).matches(of: /(?m)^ *```swift\b/)
    #expect(try Snippet.all(in: file).count == starts.count)
    #expect(Self.snippets.count { !$0.isExempt } > 30)
  }
}
