import Glibc
import Programs

/// The Swift compiler, as a package that depends on this one would run it.
///
/// It goes as far as SIL, because several misuses of noncopyable types are found only there, and it
/// sees the modules that this very test run was built from: those beside the test bundle.
enum ClientCompiler {
  /// How a source file is read.
  enum Mode {
    /// A file of a library: declarations only.
    case library
    /// A file with statements at the top level.
    case script
  }

  static func compile(_ source: String, as mode: Mode, with stubs: String? = nil) async throws -> [Diagnostic] {
    var arguments = ["-emit-sil", "-o", "/dev/null", "-module-name", "Client", "-swift-version", "6"]
    for feature in features { arguments += ["-enable-upcoming-feature", feature] }
    for directory in searched + [stubs].compactMap(\.self) { arguments += ["-I", directory] }
    arguments += ["-module-cache-path", Repository.products + "/ClientModules"]
    arguments += ["-diagnostic-style", "llvm", "-no-color-diagnostics"]
    if mode == .library { arguments.append("-parse-as-library") }
    arguments.append("-")
    let compiler = Program("swiftc", arguments, input: Array(source.utf8), timeLimit: .seconds(120))
    let outcome = try await compiler.run()
    let diagnostics = Diagnostic.parse(outcome.text)
    switch outcome.ending {
    case .exited(0): return diagnostics
    case .exited where diagnostics.contains { $0.severity == .error }: return diagnostics
    case .exited(let status): return [.failure("the compiler ended with status \(status):\n\(outcome.text)")]
    case .signalled(let signal): return [.failure("the compiler died of signal \(signal):\n\(outcome.text)")]
    case .killedAtTimeLimit: return [.failure("the compiler did not end in two minutes and was killed")]
    }
  }

  private static let features = [
    "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
  ]

  private static let searched = [
    Repository.modules, Repository.root + "/Sources/CSQLite", Repository.root + "/Sources/CCrypt",
  ]
}
