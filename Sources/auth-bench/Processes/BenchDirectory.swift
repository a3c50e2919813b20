import Glibc

/// A directory of one suite, on the file system of the build and not in memory, so that a
/// synchronised write costs what it does.
///
/// It is removed when the suite lets go of it, and when the program ends.
final class BenchDirectory {
  let path: String

  /// Where directories are made: the temporary directory if the caller names one, else beside the
  /// executable.
  static var base: String {
    if let chosen = getenv("AUTH_BENCH_DIRECTORY") { return String(cString: chosen) }
    return BenchTools.directory
  }

  init() throws {
    var template = Array((Self.base + "/bench-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError.system("a directory in \(Self.base)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  func file(_ name: String) -> String { path + "/" + name }

  /// Makes a directory of mode 0700 inside.
  func directory(_ name: String) throws -> String {
    guard mkdir(file(name), 0o700) == 0 else { throw BenchError.system(file(name)) }
    return file(name)
  }

  private static func remove(_ path: String) {
    for name in names(in: path) { remove(path + "/" + name) }
    _ = Glibc.remove(path)
  }

  /// What lies in a directory; nothing when it is none.
  private static func names(in path: String) -> [String] {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) else {
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// Small files, whole.
enum BenchFile {
  static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw BenchError.system(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
