import Glibc
import Programs

/// A PostgreSQL server of our own, or two of them, which end with the process that started them,
/// however that ends.
package final class ThrowawayServer: Sendable {
  /// The directory of the Unix socket; of two servers, the sockets are in its folders `a` and `b`.
  package let directory: String
  private let script: Child
  private let leash: Int32

  /// Why there is no server, if there is none.
  package struct Missing: Error {}

  /// What is started, by a script of `.ci` that ends when its standard input does.
  package enum Script: String {
    case server = "throwaway-postgres"
    case pair = "throwaway-postgres-pair"
    /// A pair under Patroni, which promotes the standby by itself.
    case managedPair = "throwaway-patroni"
  }

  /// Starts a server, or a primary and its standby.
  ///
  /// - Parameters:
  ///   - kind: What to start.
  ///   - settings: Lines of postgresql.conf, as `name=value`.
  /// - Throws: ``Missing`` when there is none to start.
  package init(_ kind: Script = .server, settings: [String] = []) throws {
    let pipe = try ChildPipe()
    leash = pipe.writeEnd
    script = try Child([Self.repository + "/.ci/" + kind.rawValue] + settings, input: pipe.readEnd)
    close(pipe.readEnd)
    directory = Self.line(script.output)
    guard !directory.isEmpty else { throw Missing() }
  }

  /// Has the script do something; see `.ci/throwaway-postgres-pair` and `.ci/throwaway-patroni`.
  ///
  /// - Returns: The last word of its answer.
  @discardableResult
  package func tell(_ command: String) -> String {
    write(leash, command + "\n", command.utf8.count + 1)
    let answer = Self.line(script.output)
    precondition(answer.hasPrefix("done"), "\(command): \(answer)")
    return answer.split(separator: " ").last.map(String.init) ?? ""
  }

  /// Ends the servers and removes their directory, and waits for that.
  package func stop() {
    close(leash)
    close(script.output)
    script.wait()
  }

  /// What a connection as `user` is made with.
  package func address(_ database: String, user: String = "postgres") -> String {
    "host=\(directory) user=\(user) dbname=\(database)"
  }

  /// Whether there is a server to start here.
  package static let isPossible =
    system("command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1") == 0

  private static let repository = SourceTree.root

  private static func line(_ descriptor: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}
