import Foundation
import Programs
import Testing

/// The portable modules are those of Apple's systems too, from the oldest in the manifest on.
///
/// They compile against declarations of Apple's C library, which come before that of Linux in their
/// sources. The compiler on Linux does not check the availability of API on Apple's systems, but
/// the modules of its standard library declare it.
@Suite(.timeLimit(.minutes(10))) struct AppleSystemTests {
  /// In the order of their imports.
  static let modules = ["ConcurrencyKit", "Guards", "AuthCore", "TextFormat", "AuthDevice", "AuthOAuth"]

  @Test(
    "the portable modules compile with the C library of Apple's systems",
    .enabled(if: Effort.isComplete, "make test-all compiles them"), .timeLimit(.minutes(10)))
  func compiles() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "apple-" + UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let stub = ("Darwin", ["fixtures/stubs/Darwin.swift"])
    let ours = Self.modules.map { ($0, Repository.files(below: SourceTree.folder(of: $0), suffix: ".swift")) }
    for (module, files) in [stub] + ours {
      #expect(try await ClientCompiler.emit(module: module, files, to: directory) == [])
    }
  }

  @Test(
    "each import of the C library of Linux in a portable module is one of several, or the file is for Linux",
    arguments: modules)
  func imports(_ module: String) throws {
    for file in Repository.files(below: SourceTree.folder(of: module), suffix: ".swift") {
      let text = try Repository.text(of: file)
      let hasBoth = text.contains(/#if canImport\(Darwin\)\n  (package )?import Darwin\n#el/)
      let isOfLinux = text.hasPrefix("#if !canImport(Darwin)\n")
      #expect(!text.contains("import Glibc") || hasBoth || isOfLinux, "\(file)")
    }
  }

  /// Newer names that the sources may use, because they check the system first.
  private static let checked: [String: Set<String>] = [
    "Sources/System/ConcurrencyKit/StartAtOnce.swift": ["immediate"],
    "Sources/Library/AuthCore/Runtime/WorkThreads.swift": ["immediate"],
  ]

  @Test(
    "no portable source uses API that macOS 15 lacks, except behind a check",
    .enabled(if: Effort.isComplete, "make test-all reads the compiler's modules"), .timeLimit(.minutes(10)))
  func sources() async throws {
    let newer = try await NewerAPI.names()
    #expect(newer.isSuperset(of: ["InlineArray", "immediate", "Observations", "escalatePriority", "span"]))
    #expect(newer.isDisjoint(with: ["Mutex", "Atomic", "Task", "count", "withTaskCancellationHandler"]))
    for target in Self.modules + ["AuthCoreTesting"] {
      for file in try SourceFile.all(below: SourceTree.folder(of: target)) {
        let used = file.words.intersection(newer).subtracting(Self.checked[file.path] ?? [])
        #expect(used.isEmpty, "\(file.path) uses \(used.sorted().joined(separator: ", "))")
      }
    }
  }

  @Test("the manifest requires the systems for which the scan checks")
  func manifest() throws {
    #expect(try Repository.text(of: "Package.swift").contains("platforms: [.macOS(.v15), .iOS(.v18),"))
  }
}

/// The names in the standard library that are newer than macOS 15.
private enum NewerAPI {
  /// The new types, and the new members of older types.
  ///
  /// Code cannot use a member of a new type without naming that type or such a member.
  static func names() async throws -> Set<String> {
    var symbols: [[String]] = []
    for module in ["Swift", "_Concurrency", "Synchronization", "Observation"] {
      for graph in try await SymbolGraph.extract(system: module) {
        symbols += graph.symbols.filter(\.isNewer).map(\.pathComponents)
      }
    }
    let all = Set(symbols)
    let first = symbols.filter { !all.contains(Array($0.dropLast())) && !plain.contains($0[0]) }
    return Set(first.compactMap { $0.last?.prefix { $0 != "(" } }.map(String.init)).subtracting(words)
  }

  /// Older types whose new members have names that other types have always had.
  private static let plain: Set = [
    "EnumeratedSequence", "AsyncStream", "AsyncThrowingStream", "EncodingError", "DecodingError", "SerialExecutor",
  ]
  /// New names that are common words in a program.
  private static let words: Set = ["name", "init"]
}

extension SymbolGraph.Symbol {
  fileprivate var isNewer: Bool {
    availability?.contains { $0.domain == "macOS" && ($0.introduced?.major ?? 0) > 15 } ?? false
  }
}
