import Foundation
import Programs
import Testing

/// A server of the fixtures on a port of this machine, with a directory of its own.
enum FixtureServer {
  /// Starts a server, and runs `body` with its directory and what it wrote there when it was ready.
  ///
  /// - Parameters:
  ///   - command: The interpreter and the script.
  ///   - options: The arguments after the directory.
  ///   - file: The file that the server writes when it is ready.
  ///   - body: The use of the server, which ends when its directory is gone.
  /// - Throws: The failure to start the server, or that of the body.
  static func run(
    _ command: [String], _ options: [String], writes file: String, _ body: (URL, Data) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "server-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let script = """
      file=$1; shift
      PYTHONDONTWRITEBYTECODE=1 "$@" >"$0/log" 2>&1 </dev/null &
      until [ -e "$file" ]; do kill -0 $! || { cat "$0/log"; exit 1; }; sleep 0.02; done
      """
    let ready = directory.appending(path: file)
    let words = [directory.path, ready.path, command[0], SourceTree.root + "/fixtures/" + command[1], directory.path]
    let outcome = try await Program("sh", ["-c", script] + words + options, timeLimit: .seconds(100)).run()
    try #require(outcome.ending == .exited(0), "\(outcome.text)")
    try await body(directory, Data(contentsOf: ready))
  }
}
