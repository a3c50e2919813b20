package import Glibc

/// A program that a test started.
package final class TerminalProcess {
  package enum End: Hashable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    package var description: String {
      switch self {
      case .exited(let code): "exited with \(code)"
      case .signalled(let signal): "died of signal \(signal)"
      }
    }
  }

  package let id: pid_t
  private var end: End?

  /// Starts a program with its own environment, and throws if there is no such program.
  ///
  /// `arguments` are the program's path and its arguments. With a `terminal`, the program leads a
  /// new session with this controlling terminal, and has it as descriptors 0, 1 and 2.
  package init(_ arguments: [String], environment: [String: String], terminal: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Resets the signals that the test runner ignores or blocks, because a shell would not pass
    // them on.
    var all = sigset_t()
    sigfillset(&all)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    if let terminal {
      flags |= Self.newSession
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words = arguments.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var id: pid_t = 0
    let error = posix_spawn(&id, arguments[0], &actions, &attributes, words, variables)
    guard error == 0 else { throw PseudoTerminal.Failure(description: "cannot start \(arguments[0]): error \(error)") }
    self.id = id
  }

  deinit {
    guard end == nil else { return }
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }

  /// Waits until the program has ended.
  package func wait(within limit: Duration = .seconds(60)) throws -> End {
    guard Deadline(limit).wait(until: { !isRunning }), let end else {
      throw PseudoTerminal.Failure(description: "process \(id) did not end within \(limit)")
    }
    return end
  }

  package var isRunning: Bool {
    var status: Int32 = 0
    if end == nil, waitpid(id, &status, WNOHANG) == id {
      let signal = status & 0x7F
      end = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
    return end == nil
  }

  /// `POSIX_SPAWN_SETSID` of <spawn.h>, which the importer omits.
  private static let newSession: Int32 = 0x80
}
