import Foundation
import Programs

/// The public API of a module with its documentation, from the compiler.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable {
      let precise: String
    }

    struct DocComment: Decodable {
      struct Line: Decodable {
        let text: String
      }

      let lines: [Line]
    }

    struct Kind: Decodable {
      let identifier: String
    }

    struct Signature: Decodable {
      struct Fragment: Decodable {
        let preciseIdentifier: String?
      }

      let returns: [Fragment]?
    }

    let identifier: Identifier
    let kind: Kind
    let pathComponents: [String]
    let docComment: DocComment?
    let functionSignature: Signature?

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

  static func extract(_ module: String) async throws -> SymbolGraph {
    var ours = ["-I", Repository.modules]
    for library in ["CSQLite", "CCrypt", "CProcess", "CSocket"] {
      ours += ["-I", Repository.root + "/Sources/\(library)"]
    }
    return try await files(of: module, ours) { directory in
      let file = directory.appending(path: "\(module).symbols.json")
      return try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
    }
  }

  /// The graphs of a module of the toolchain, one for each module that it extends.
  static func files(ofSystemModule module: String) async throws -> [Data] {
    try await files(of: module, ["-skip-synthesized-members"]) { directory in
      try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        .map { try Data(contentsOf: $0) }
    }
  }

  private static func files<Result>(
    of module: String, _ arguments: [String], _ read: (URL) throws -> Result
  ) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "symbols-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let extractor = Program(
      "swift-symbolgraph-extract",
      ["-module-name", module] + arguments + [
        "-target", try await target(), "-module-cache-path", Repository.products + "/ClientModules",
        "-minimum-access-level", "public", "-output-dir", directory.path(percentEncoded: false),
      ], timeLimit: .seconds(120))
    let outcome = try await extractor.run()
    guard outcome.ending == .exited(0) else { throw ExtractionFailure(module: module, output: outcome.text) }
    return try read(directory)
  }

  private static func target() async throws -> String {
    struct Info: Decodable {
      struct Target: Decodable {
        let triple: String
      }

      let target: Target
    }
    let outcome = try await Program("swiftc", ["-print-target-info"], timeLimit: .seconds(60)).run()
    return try JSONDecoder().decode(Info.self, from: Data(outcome.output)).target.triple
  }
}

/// The extractor refused a module; `output` says why.
struct ExtractionFailure: Error {
  var module: String
  var output: String
}
