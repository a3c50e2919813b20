import Foundation
import Programs

/// The location of the sources and of the build products of this test run.
enum Repository {
  /// The root directory of the repository.
  static let root = SourceTree.root

  /// The name that SwiftPM gives this package, after its directory.
  static let package = URL(filePath: root).lastPathComponent.lowercased().replacing(/[^a-z0-9_]/, with: "_")
    .replacing(/^(?=[0-9])/, with: "_")

  /// The directory of the test bundle, with the built modules and executables in it.
  static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  static let modules = products + "/Modules"

  /// The text of a file, with a path relative to the root.
  static func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: root + "/" + path)), as: UTF8.self)
  }

  /// The articles of the documentation.
  static let articles = ["AuthCore", "Guards", "AuthCoreTesting", "AuthDevice", "AuthOAuth", "AuthCLIProgram"].flatMap {
    module in
    files(below: "\(SourceTree.folder(of: module))/\(module).docc", suffix: ".md")
  }

  /// The files below a directory that end in `suffix`, as sorted paths relative to the root.
  static func files(below directory: String, suffix: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: root + "/" + directory)?.compactMap { $0 as? String } ?? []
    // The Swift files of a documentation catalog are the code of a tutorial.
    let isSource = { (path: String) in suffix != ".swift" || !path.contains(".docc/") }
    return found.filter { $0.hasSuffix(suffix) && isSource($0) }.sorted().map { "\(directory)/\($0)" }
  }

  /// The names of the folders in a directory that have files.
  static func folders(in directory: String) -> Set<String> {
    Set(
      files(below: directory, suffix: "").compactMap { path in
        let parts = path.dropFirst(directory.count + 1).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : nil
      })
  }
}
