import Glibc

/// The programs that are measured.
enum BenchTools {
  /// The directory of this executable.
  static let directory: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }()

  static var own: String { directory + "/auth-bench" }

  /// A copy of this executable, to be measured.
  ///
  /// Of an executable that runs the kernel drops nothing, so ``PageCache`` cannot read it again.
  static func ownCopy(in directory: BenchDirectory) throws -> String {
    let path = directory.file("auth-bench")
    if access(path, X_OK) == 0 { return path }
    let source = open(own, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw BenchError.system(own) }
    defer { close(source) }
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
    guard target >= 0 else { throw BenchError.system(path) }
    defer { close(target) }
    while true {
      let count = sendfile(target, source, nil, 1 << 24)
      guard count >= 0 else { throw BenchError.system(path) }
      if count == 0 { return path }
    }
  }

  /// The program for PostgreSQL servers, beside this executable.
  static var companion: String { directory + "/auth-cli-postgres" }

  /// `auth-cli` beside this executable.
  static func commandLine() throws -> String {
    let path = directory + "/auth-cli"
    guard access(path, X_OK) == 0 else { throw BenchError("\(path) is not built; 'make bench' builds it") }
    return path
  }

  /// The program of that name in `PATH`, or nil.
  static func installed(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Compiles `fixtures/bench/bare.c`, static where the system has the libraries.
  static func bare(in directory: BenchDirectory) throws -> String {
    let source = try fixture("bench/bare.c")
    let target = directory.file("bare")
    guard let compiler = compiler else { throw BenchError("there is no C compiler (clang or cc)") }
    for linkage in [["-static"], []] {
      let arguments = ["-O2", "-w"] + linkage + ["-o", target, source, "-lsqlite3", "-lm"]
      let environment = [
        "PATH=" + (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"), "TMPDIR=" + directory.path,
      ]
      var build = ChildProcess(path: compiler, arguments: arguments, environment: environment)
      build.errors = "/dev/null"
      if (try? build.run()) != nil { return target }
    }
    throw BenchError("\(source) does not compile: \(compiler) -O2 -o bare \(source) -lsqlite3 -lm")
  }

  /// The toolchain's own compiler, else the system's.
  private static var compiler: String? {
    if let swift = installed("swift"), let real = realpath(swift, nil) {
      defer { free(real) }
      let path = String(cString: real)
      if let slash = path.lastIndex(of: "/") {
        let clang = path[..<slash] + "/clang"
        if access(String(clang), X_OK) == 0 { return String(clang) }
      }
    }
    return installed("clang") ?? installed("cc")
  }

  /// A file of `fixtures/`, looked for from here upwards.
  private static func fixture(_ name: String) throws -> String {
    var place = directory[...]
    while !place.isEmpty {
      let path = "\(place)/fixtures/\(name)"
      if access(path, R_OK) == 0 { return path }
      guard let slash = place.lastIndex(of: "/") else { break }
      place = place[..<slash]
    }
    throw BenchError("fixtures/\(name) is not found above \(directory)")
  }
}

/// Why a suite cannot be measured.
struct BenchError: Error {
  let message: String

  init(_ message: String) { self.message = message }

  /// A system call that failed.
  static func system(_ what: String, _ number: Int32 = errno) -> BenchError {
    BenchError("\(what): \(String(cString: strerror(number)))")
  }
}

/// A measurement whose work did not do what it should is no figure: the run ends.
func require<Value>(_ what: String, _ body: () throws -> Value) -> Value {
  do {
    return try body()
  } catch {
    say("auth-bench: \(what): \(error)\n")
    exit(1)
  }
}
