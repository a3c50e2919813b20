import ConcurrencyKit
import Foundation
import Programs
import Testing

/// The public API of a module with its documentation, from the compiler.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable { let precise: String }
    struct Kind: Decodable { let identifier: String }
    struct Line: Decodable { let text: String }
    struct DocComment: Decodable { let lines: [Line] }
    struct Version: Decodable { let major: Int }
    struct Availability: Decodable {
      let domain: String?
      let introduced: Version?
    }

    let identifier: Identifier
    let kind: Kind
    let pathComponents: [String]
    let docComment: DocComment?
    let availability: [Availability]?

    /// Members that a protocol of the standard library adds to our types are documented in the
    /// standard library.
    var isOurs: Bool { !identifier.precise.contains("::SYNTHESIZED::") }

    var isDocumented: Bool {
      docComment?.lines.contains { line in line.text.contains { !$0.isWhitespace } } ?? false
    }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
  }

  let symbols: [Symbol]
  let relationships: [Relationship]

  /// Each graph is extracted once, for all tests.
  private static let extractions = Locked<[String: Task<SymbolGraph, any Error>]>([:])

  static func extract(_ module: String) async throws -> SymbolGraph {
    let extraction = extractions.withLock { extractions in
      let extraction = extractions[module] ?? Task { try await extracted(module) }
      extractions[module] = extraction
      return extraction
    }
    return try await extraction.value
  }

  private static func extracted(_ module: String) async throws -> SymbolGraph {
    let libraries = ["CSQLite", "CCrypt", "CProcess", "CSocket", "CVersion/include"].map {
      Repository.root + "/Sources/System/\($0)"
    }
    let graphs = try await graphs(of: module, ([Repository.modules] + libraries).flatMap { ["-I", $0] })
    return try #require(graphs["\(module).symbols.json"])
  }

  /// The graphs of a module of the toolchain, one for each module that it extends.
  static func extract(system module: String) async throws -> [SymbolGraph] {
    try await Array(graphs(of: module, ["-skip-synthesized-members"]).values)
  }

  private static let target = Task {
    let info = try await Program("swiftc", ["-print-target-info"], timeLimit: .seconds(60)).run().text
    return try String(#require(info.firstMatch(of: /"triple": "(?<name>[^"]*)"/)).name)
  }

  /// The graphs by the names of their files.
  private static func graphs(of module: String, _ arguments: [String]) async throws -> [String: SymbolGraph] {
    let directory = FileManager.default.temporaryDirectory.appending(path: "symbols-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let extractor = Program(
      "swift-symbolgraph-extract",
      ["-module-name", module] + arguments + [
        "-target", try await target.value, "-module-cache-path", Repository.products + "/ClientModules",
        "-minimum-access-level", "public", "-output-dir", directory.path,
      ], timeLimit: .seconds(600))
    let outcome = try await extractor.run()
    try #require(outcome.ending == .exited(0), "\(module): \(outcome.text)")
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    return try Dictionary(
      uniqueKeysWithValues: files.map { file in
        (file.lastPathComponent, try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file)))
      })
  }
}
