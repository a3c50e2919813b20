import Glibc

/// A PostgreSQL server of our own, which ends with the process that started it, however that ends.
package final class ThrowawayServer: Sendable {
  /// The directory of its Unix socket.
  package let directory: String
  private let leash: Int32
  private let supervisor: pid_t

  /// Why there is no server, if there is none.
  package struct Missing: Error, CustomStringConvertible {
    package let description: String
  }

  /// Starts a server.
  ///
  /// - Parameter settings: Lines of postgresql.conf, as `name=value`.
  /// - Throws: ``Missing`` when there is none to start.
  package init(settings: [String] = []) throws(Missing) {
    let started = try Self.start("throwaway-postgres", settings)
    (leash, supervisor) = (started.input, started.supervisor)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(started.output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    close(started.output)
    directory = String(decoding: line, as: UTF8.self)
    guard !line.isEmpty else {
      close(leash)
      throw Missing(description: "the server did not start")
    }
  }

  /// Starts a script that ends when its standard input does.
  static func start(
    _ script: String, _ arguments: [String]
  ) throws(Missing) -> (input: Int32, output: Int32, supervisor: pid_t) {
    var input: [Int32] = [0, 0]
    var output: [Int32] = [0, 0]
    guard pipe(&input) == 0, pipe(&output) == 0 else { throw Missing(description: "no pipe: \(errno)") }
    // No other child may hold the leash.
    for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A session of its own (POSIX_SPAWN_SETSID, which the header shows to GNU C only): ^C at the
    // tests does not reach it.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
    let command = [repository + "/.ci/" + script] + arguments
    let argv = command.map { strdup($0) } + [nil]
    var child: pid_t = 0
    let failure = posix_spawn(&child, command[0], &actions, &attributes, argv, environ)
    for text in argv { free(text) }
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
    close(input[0])
    close(output[1])
    guard failure == 0 else { throw Missing(description: "\(script) cannot be started: \(failure)") }
    return (input[1], output[0], child)
  }

  /// Ends the server and removes its directory, and waits for that.
  package func stop() {
    close(leash)
    var status: Int32 = 0
    while waitpid(supervisor, &status, 0) < 0 && errno == EINTR {}
  }

  /// What a connection as `user` is made with.
  package func address(_ database: String, user: String = "postgres") -> String {
    "host=\(directory) user=\(user) dbname=\(database)"
  }

  /// Whether there is a server to start here.
  package static let isPossible: Bool = {
    let command = "command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1"
    return system(command) == 0
  }()

  private static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
}
