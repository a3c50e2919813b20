import Glibc

/// Reads and writes whole files, and finds those of this package.
enum TextFile {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "rb") else { throw Failure(description: "cannot read \(path): error \(errno)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "wb") else { throw Failure(description: "cannot write \(path): error \(errno)") }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw Failure(description: "cannot write all of \(path)") }
  }

  /// The paths of the files below a folder of the package whose names end with `suffix`.
  static func list(_ folder: String, suffix: String) throws -> [String] {
    let path = BuiltExecutable.repository + "/" + folder
    guard let directory = opendir(path) else { throw Failure(description: "cannot list \(path): error \(errno)") }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      if entry.pointee.d_type == DT_DIR {
        found += try list(folder + "/" + name, suffix: suffix)
      } else if name.hasSuffix(suffix) {
        found.append(path + "/" + name)
      }
    }
    return found.sorted()
  }
}
