package import Glibc
import Programs

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

  /// Starts a program with its own environment, as the leader of a new session, and throws if there
  /// is no such program.
  ///
  /// `arguments` are the program's path and its arguments. A `terminal` becomes the controlling
  /// terminal, and descriptors 0, 1 and 2.
  package init(_ arguments: [String], environment: [String: String], terminal: String? = nil) throws {
    id = try Child.start(arguments, environment) { actions in
      guard let terminal else { return }
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      for descriptor in [1, 2] as [Int32] { posix_spawn_file_actions_adddup2(&actions, 0, descriptor) }
    }
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
}
