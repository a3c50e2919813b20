import Dispatch
import Glibc

/// Runs another program until it ends or reaches its time limit, with standard output and standard
/// error in one stream.
///
/// It leads a new process session: it never has a controlling terminal, and at the time limit its
/// whole process group is killed. At most one child per core runs at a time; the others wait
/// without blocking a thread.
package struct Program: Sendable {
  /// The program: a path, or a name that `PATH` finds.
  package var program: String
  package var arguments: [String]
  package var environment: [String: String]
  package var workingDirectory: String
  package var input: [UInt8]
  /// The time limit, from the start of the program.
  package var timeLimit: Duration

  package init(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = Program.inheritedEnvironment,
    workingDirectory: String = ".",
    input: [UInt8] = [],
    timeLimit: Duration
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.input = input
    self.timeLimit = timeLimit
  }

  /// Runs the program and returns how it ended and what it printed.
  ///
  /// - Throws: `SpawnError` when the system has no process or descriptor left. A program that fails
  ///   or does not exist (status 127) is not an error.
  package func run() async throws -> ProgramOutcome {
    await Slots.shared.enter()
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(SpawnError) in try runBlocking() })
      }
    }
    await Slots.shared.leave()
    return try result.get()
  }

  /// The environment of the test process.
  package static var inheritedEnvironment: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let pair = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      next += 1
    }
    return variables
  }

  /// `POSIX_SPAWN_SETSID`, which `spawn.h` declares only for GNU C.
  private static let newSession: Int16 = 0x80

  private func runBlocking() throws(SpawnError) -> ProgramOutcome {
    let pipes = try (input: Pipe(), output: Pipe())
    let child = try spawn(reading: pipes.input.readEnd, writing: pipes.output.writeEnd)
    close(pipes.input.readEnd)
    close(pipes.output.writeEnd)

    var exchange = Exchange(input: input, to: pipes.input.writeEnd, from: pipes.output.readEnd)
    let ended = exchange.run(until: ContinuousClock.now + timeLimit)
    if !ended { kill(-child, SIGKILL) }
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0 && errno == EINTR {}
    guard ended else { return ProgramOutcome(ending: .killedAtTimeLimit, output: exchange.output) }
    let signal = raw & 0x7f
    return ProgramOutcome(ending: signal == 0 ? .exited(raw >> 8 & 0xff) : .signalled(signal), output: exchange.output)
  }

  private func spawn(reading input: Int32, writing output: Int32) throws(SpawnError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Dispatch threads block most signals, and a test runner may ignore some; a child would inherit
    // both.
    var everySignal = sigset_t()
    sigfillset(&everySignal)
    posix_spawnattr_setsigdefault(&attributes, &everySignal)
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | Self.newSession
    posix_spawnattr_setflags(&attributes, flags)

    // The file action that changes the directory is declared only for GNU C.
    let command = ["env", "-C", workingDirectory, program] + arguments
    let argv = command.map { strdup($0) }
    let envp = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for string in argv + envp { free(string) } }
    var child: pid_t = 0
    let failure = posix_spawnp(&child, "env", &actions, &attributes, argv + [nil], envp + [nil])
    guard failure == 0 else { throw SpawnError(program: program, errno: failure) }
    return child
  }
}
