import Programs
import Testing

/// The portable targets use no API that is newer than the systems in the manifest.
///
/// The compiler on Linux does not check the availability of API on Apple's systems, but the modules
/// of its standard library declare it.
@Suite struct OlderSystemTests {
  /// Newer names that the sources may use, because they check the system first.
  private static let checked: [String: Set<String>] = ["Sources/Guards/StartAtOnce.swift": ["immediate"]]

  @Test(
    "no portable source uses API that macOS 15 lacks, except behind a check",
    .enabled(if: Effort.isComplete, "make test-all reads the compiler's modules"), .timeLimit(.minutes(10)))
  func sources() async throws {
    let newer = try await NewerAPI.names()
    #expect(newer.isSuperset(of: ["InlineArray", "immediate", "Observations", "escalatePriority", "span"]))
    #expect(newer.isDisjoint(with: ["Mutex", "Atomic", "Task", "count", "withTaskCancellationHandler"]))
    for target in AppleSystemTests.modules + ["AuthCoreTesting"] {
      for file in try SourceFile.all(below: "Sources/\(target)") {
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
