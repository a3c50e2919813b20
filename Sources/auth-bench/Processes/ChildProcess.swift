import Glibc

/// One run of another program, with nothing between it and the kernel.
struct ChildProcess {
  let path: String
  let arguments: [String]
  var environment: [String] = []
  /// The bytes of standard input; at most what a pipe holds.
  var input: [UInt8] = []
  /// Where standard output goes; `/dev/null` unless it is to be read.
  var output = "/dev/null"
  /// Where standard error goes; nil is that of this program.
  var errors: String?

  /// Starts it.
  func start() throws -> pid_t {
    try PageCache.readAgain(path)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var ends: [Int32] = [-1, -1]
    if input.isEmpty {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    } else {
      guard pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0,
        write(ends[1], input, input.count) == input.count
      else { throw BenchError.system("a pipe") }
      close(ends[1])
      posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    }
    defer { if ends[0] >= 0 { close(ends[0]) } }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    if let errors {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, nil, words, variables)
    guard code == 0 else { throw BenchError.system(path, code) }
    return process
  }

  /// Waits for its end.
  static func wait(for process: pid_t) throws {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw BenchError.system("waitpid") }
    }
    try check(status)
  }

  static func check(_ status: Int32) throws {
    guard status == 0 else {
      throw BenchError("a measured program ended with wait status \(status); what it said is above")
    }
  }

  /// Runs it to its end.
  func run() throws {
    do {
      try Self.wait(for: start())
    } catch {
      if let errors, let said = try? BenchFile.read(errors) { say(said) }
      throw error
    }
  }

  /// Runs it and returns what it printed.
  func read(in directory: BenchDirectory) throws -> String {
    var copy = self
    copy.output = directory.file("output")
    unlink(copy.output)
    try copy.run()
    return try BenchFile.read(copy.output)
  }
}
