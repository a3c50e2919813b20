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
    let directory = FileManager.default.temporaryDirectory.appending(path: "apple-" + UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let stub = ("Darwin", ["fixtures/stubs/Darwin.swift"])
    let ours = Self.modules.map { ($0, Repository.files(below: "Sources/\($0)", suffix: ".swift")) }
    for (module, files) in [stub] + ours {
      #expect(try await ClientCompiler.emit(module: module, files, to: directory) == [])
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
}
