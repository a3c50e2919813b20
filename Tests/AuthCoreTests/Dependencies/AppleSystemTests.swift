import Foundation
import Programs
import Testing

/// The portable modules compile against declarations of Apple's C library, which come before that
/// of Linux in their sources.
@Suite struct AppleSystemTests {
  /// In the order of their imports.
  static let modules = ["Guards", "AuthCore", "TextFormat", "AuthDevice", "AuthOAuth"]

  @Test(
    "the portable modules compile with the C library of Apple's systems",
    .enabled(if: Effort.isComplete, "make test-all compiles them"), .timeLimit(.minutes(10)))
  func compiles() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "apple-" + UUID().uuidString)
      .path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(try await compile("Darwin", ["fixtures/stubs/Darwin.swift"], in: directory) == "")
    for module in Self.modules {
      let files = Repository.files(below: "Sources/\(module)", suffix: ".swift")
      #expect(try await compile(module, files, in: directory) == "")
    }
  }

  @Test("each import of the C library of Linux in a portable module is one of several", arguments: modules)
  func imports(_ module: String) throws {
    for file in Repository.files(below: "Sources/\(module)", suffix: ".swift") {
      let text = try Repository.text(of: file)
      let hasBoth = text.contains(/#if canImport\(Darwin\)\n  (package )?import Darwin\n#el/)
      #expect(!text.contains("import Glibc") || hasBoth, "\(file)")
    }
  }

  /// Compiles a module, and returns the diagnostics.
  private func compile(_ module: String, _ files: [String], in directory: String) async throws -> String {
    let features = [
      "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
    ]
    // Never -o /dev/null: as root, a compiler may put a file in its place.
    let compiler = Program(
      "swiftc",
      [
        "-emit-module", "-emit-sil", "-o", "\(directory)/\(module).sil", "-whole-module-optimization",
        "-parse-as-library",
        "-swift-version", "6", "-package-name", "portable", "-module-name", module,
        "-emit-module-path", "\(directory)/\(module).swiftmodule", "-I", directory,
      ] + features.flatMap { ["-enable-upcoming-feature", $0] } + files.map { "\(Repository.root)/\($0)" },
      timeLimit: .seconds(300))
    return try await compiler.run().text
  }
}
