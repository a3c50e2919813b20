import Foundation
import Programs

/// The Swift compiler, as a package that depends on this one would run it.
///
/// It compiles to SIL, because the compiler finds several misuses of noncopyable types only there.
/// It uses the modules of this test run: those next to the test bundle.
enum ClientCompiler {
  /// Compiles files as one module, because a compiler for each takes 20 times as long; or one file
  /// as a script, with statements at the top level.
  ///
  /// Files in the package see its declarations.
  ///
  /// - Returns: The diagnostics of each file, by name; files without diagnostics are omitted.
  static func compile(
    _ files: [String: String], isScript: Bool = false, with stubs: String? = nil, inPackage: Bool = false
  ) async throws -> [String: [Diagnostic]] {
    if files.isEmpty { return [:] }
    let directory = FileManager.default.temporaryDirectory.appending(path: "client-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    var paths: [String] = []
    for (name, source) in files {
      let file = directory.appending(path: name + ".swift")
      try source.write(to: file, atomically: false, encoding: .utf8)
      paths.append(file.path)
    }
    let package = inPackage ? ["-package-name", Repository.package] : []
    let arguments = package + (stubs.map { ["-I", $0] } ?? [])
    let form = isScript ? [] : ["-parse-as-library", "-whole-module-optimization"]
    let diagnostics = try await run(arguments + form + paths.sorted())
    return Dictionary(grouping: diagnostics) { $0.file ?? "" }
  }

  /// Compiles a module into a directory, where clients and other modules find it.
  static func emit(module: String, _ files: [String], to directory: String) async throws -> [Diagnostic] {
    let path = "\(directory)/\(module).swiftmodule"
    let options = ["-emit-module", "-emit-module-path", path, "-parse-as-library", "-whole-module-optimization"]
    let sources = files.map { "\(Repository.root)/\($0)" }
    return try await run(
      ["-I", directory, "-package-name", "portable"] + options + sources, module: module, within: .seconds(300))
  }

  private static func run(
    _ arguments: [String], module: String? = nil, within limit: Duration = .seconds(120)
  ) async throws -> [Diagnostic] {
    // Never -o /dev/null: as root, a compiler may put a file in its place.
    let product = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID().uuidString).sil")
    defer { try? FileManager.default.removeItem(at: product) }
    var all = ["-emit-sil", "-o", product.path, "-module-name", module ?? "Client", "-swift-version", "6"]
    // A client enables none of them, as a new package does not.
    if module != nil { for feature in features { all += ["-enable-upcoming-feature", feature] } }
    // The directories of the arguments come first.
    all += arguments + ["-I", Repository.modules]
    for module in ["CSQLite", "CCrypt", "CProcess", "CSocket", "CVersion/include"] {
      all += ["-I", "\(Repository.root)/Sources/System/\(module)"]
    }
    all += ["-module-cache-path", Repository.products + "/ClientModules"]
    all += ["-diagnostic-style", "llvm", "-no-color-diagnostics"]
    let outcome = try await Program("swiftc", all, timeLimit: limit).run()
    let diagnostics = Diagnostic.parse(outcome.text)
    switch outcome.ending {
    case .exited(let status) where status == 0 || diagnostics.contains { $0.severity == .error }: return diagnostics
    case let ending: return [Diagnostic(severity: .error, message: "the compiler \(ending):\n\(outcome.text)")]
    }
  }

  /// What the manifest of this package enables for its own modules.
  private static let features = [
    "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
  ]
}
