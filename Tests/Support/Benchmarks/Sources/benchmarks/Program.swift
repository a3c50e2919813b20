import Foundation
import Glibc

/// One run of another program, with nothing between it and the kernel.
struct Program {
  let path: String
  var arguments: [String]
  var environment: [String] = []
  /// At most what a pipe holds.
  var input = ""
  var outputFile = "/dev/null"
  var errors = "/dev/null"
  /// The exit status of a run that did its work; nil for any.
  var expected: Int32? = 0
  /// The server that answers it, which ends when nothing refers to it any more.
  var server: AnyObject?

  /// A program of `make bench`.
  static func built(_ name: String) throws -> String {
    let path = FileManager.default.currentDirectoryPath + "/.build/release/" + name
    guard access(path, X_OK) == 0 else { throw Skip(reason: "\(path) is not built") }
    return path
  }

  /// A program of the system.
  static func installed(_ name: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let places = path.split(separator: ":").map { "\($0)/\(name)" }
    guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
      throw Skip(reason: "\(name) is not installed")
    }
    return found
  }

  func start() throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }),
      write(ends[1], input, input.utf8.count) == input.utf8.count
    else {
      throw Failure(reason: "no pipe: error \(errno)")
    }
    close(ends[1])
    defer { close(ends[0]) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outputFile, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    return try spawn(&actions, nil)
  }

  func spawn(
    _ actions: UnsafePointer<posix_spawn_file_actions_t>, _ attributes: UnsafePointer<posix_spawnattr_t>?
  ) throws -> pid_t {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, actions, attributes, words, variables)
    guard code == 0 else { throw Failure(reason: "\(path) does not start: error \(code)") }
    return process
  }

  func run() throws {
    let process = try start()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    try check(status)
  }

  func check(_ status: Int32) throws {
    if let expected, status != expected << 8 {
      throw Failure(
        reason: "\(path) \(arguments.joined(separator: " ")) ended with wait status \(status), "
          + "see \(errors); \((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")")
    }
  }

  /// The text that it prints.
  func output() throws -> String {
    var copy = self
    copy.outputFile = FileManager.default.temporaryDirectory.path + "/benchmark-output-\(getpid())"
    defer { unlink(copy.outputFile) }
    try copy.run()
    return try String(contentsOfFile: copy.outputFile, encoding: .utf8)
  }

  /// The number that it prints.
  func number() throws -> Double {
    let printed = try output()
    guard let number = Double(printed.filter { $0 != "\n" }) else {
      throw Failure(reason: "\(path) printed \(printed)")
    }
    return number
  }

  /// The milliseconds from its start to its end.
  func time() throws -> Double { try ContinuousClock().measure { try run() }.milliseconds }
}
