package import Glibc

/// A program that was started, as the leader of a new process session: it never has a controlling
/// terminal, and ^C at the tests does not reach it.
package struct Child: Sendable {
  package let id: pid_t
  /// What the program writes to its standard output, to be closed by the caller.
  package let output: Int32

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program, which `PATH` finds, and its arguments.
  ///   - environment: Its variables.
  ///   - input: Its standard input.
  ///   - joinsErrors: Whether standard error goes the way of standard output.
  /// - Throws: ``SpawnError``.
  package init(
    _ command: [String], environment: [String: String] = Program.inheritedEnvironment, input: Int32,
    joinsErrors: Bool = false
  ) throws(SpawnError) {
    let pipe = try ChildPipe()
    defer { close(pipe.writeEnd) }
    do throws(SpawnError) {
      id = try Self.start(command, environment) { actions in
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipe.writeEnd, STDOUT_FILENO)
        if joinsErrors { posix_spawn_file_actions_adddup2(&actions, pipe.writeEnd, STDERR_FILENO) }
      }
    } catch {
      close(pipe.readEnd)
      throw error
    }
    output = pipe.readEnd
  }

  // Whoever started the tests may have left descriptors open, as some terminals and profilers do. A
  // program that they start would have them too, and one with a limit of descriptors fewer.
  private static let keepInheritedDescriptors: Void = {
    for descriptor in 3...255 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) == 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }()

  /// Starts a program with other descriptors than those of the tests.
  ///
  /// - Parameters:
  ///   - command: The program, which `PATH` finds, and its arguments.
  ///   - environment: Its variables.
  ///   - redirect: Adds the actions that open its descriptors.
  /// - Returns: The id of the process.
  /// - Throws: ``SpawnError``.
  package static func start(
    _ command: [String], _ environment: [String: String], _ redirect: (inout posix_spawn_file_actions_t) -> Void
  ) throws(SpawnError) -> pid_t {
    Self.keepInheritedDescriptors
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Dispatch threads block most signals, and a test runner may ignore some; a child would inherit
    // both, and a shell would pass them on.
    var (everySignal, noSignals) = (sigset_t(), sigset_t())
    sigfillset(&everySignal)
    posix_spawnattr_setsigdefault(&attributes, &everySignal)
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    // POSIX_SPAWN_SETSID, which `spawn.h` declares only for GNU C.
    let newSession: Int16 = 0x80
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | newSession)
    let words = command.map { strdup($0) }
    let variables = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for string in words + variables { free(string) } }
    var id: pid_t = 0
    let failure = posix_spawnp(&id, command[0], &actions, &attributes, words + [nil], variables + [nil])
    if failure != 0 { throw SpawnError(program: command[0], errno: failure) }
    return id
  }

  /// Waits for the end.
  ///
  /// - Returns: The status, as waitpid(2) has it.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}

/// Two connected descriptors that no other program inherits.
///
/// After `pipe` there is a moment without close-on-exec, in which a program that another thread
/// starts would inherit them, and `pipe2` is not visible from Swift.
package struct ChildPipe {
  package let readEnd: Int32
  package let writeEnd: Int32

  package init() throws(SpawnError) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SpawnError(program: "socketpair", errno: errno)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }
}

/// A program that could not be started.
package struct SpawnError: Error, CustomStringConvertible {
  let program: String
  let errno: Int32

  package var description: String { "cannot run '\(program)': \(String(cString: strerror(errno)))" }
}
