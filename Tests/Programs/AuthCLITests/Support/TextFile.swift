import Foundation

/// Reads and writes whole files, and finds those of this package.
enum TextFile {
  static func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  /// The paths of the files below a folder of the package whose names end with `suffix`.
  static func list(_ folder: String, suffix: String) throws -> [String] {
    let path = BuiltExecutable.repository + "/" + folder
    return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }
      .map { path + "/" + $0 }.sorted()
  }
}
