import Glibc

/// A program that runs beside the test.
///
/// Foundation's `Process` learns of an end from a socket that other children may inherit. Then its
/// wait ends only after they have ended, which may be never.
final class BackgroundProgram: @unchecked Sendable {  // One thread at a time uses it.
  struct NotStarted: Error {
    let program: String
    let errno: Int32
  }

  let pid: pid_t
  /// How it ended: its status, or the number of the signal as a negative number.
  private var ending: Int32?

  /// Starts it, with its standard error in a file.
  init(_ program: String, _ arguments: [String], environment: [String: String], errors: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads of a test runner may block or ignore signals, and a child would inherit both.
    var (noSignals, everySignal) = (sigset_t(), sigset_t())
    sigemptyset(&noSignals)
    sigfillset(&everySignal)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setsigdefault(&attributes, &everySignal)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let words = ([program] + arguments).map { strdup($0) }
    let variables = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for string in words + variables { free(string) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, program, &actions, &attributes, words + [nil], variables + [nil])
    guard failure == 0 else { throw NotStarted(program: program, errno: failure) }
    pid = child
  }

  deinit { if isRunning { _ = end(SIGKILL) } }

  var isRunning: Bool {
    collect(WNOHANG)
    return ending == nil
  }

  /// Sends a signal, and waits until the program has ended.
  ///
  /// - Returns: Its status, or the number of the signal as a negative number.
  func end(_ signal: Int32) -> Int32 {
    if isRunning { kill(pid, signal) }
    while ending == nil { collect(0) }
    return ending ?? 0
  }

  private func collect(_ options: Int32) {
    var status: Int32 = 0
    guard ending == nil, waitpid(pid, &status, options) == pid else { return }
    ending = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }
}
