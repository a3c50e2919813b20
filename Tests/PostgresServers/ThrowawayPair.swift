import Glibc

/// A primary server and its standby, which end with the process that started them.
package final class ThrowawayPair {
  /// The sockets are in its folders `a` and `b`.
  package let directory: String
  private let input: UnsafeMutablePointer<FILE>
  private let output: UnsafeMutablePointer<FILE>
  private let supervisor: pid_t

  /// Starts both.
  ///
  /// - Parameter isManaged: Under Patroni, which promotes the standby by itself.
  /// - Throws: ``ThrowawayServer/Missing`` when there is no server to start.
  package init(isManaged: Bool = false) throws(ThrowawayServer.Missing) {
    let started = try ThrowawayServer.start(isManaged ? "throwaway-patroni" : "throwaway-postgres-pair", [])
    guard let input = fdopen(started.input, "w"), let output = fdopen(started.output, "r") else {
      throw ThrowawayServer.Missing(description: "no stream: \(errno)")
    }
    self.input = input
    self.output = output
    supervisor = started.supervisor
    directory = Self.line(output)
    guard !directory.isEmpty else { throw ThrowawayServer.Missing(description: "the servers did not start") }
  }

  /// Has the script do something; see `.ci/throwaway-postgres-pair` and `.ci/throwaway-patroni`.
  ///
  /// - Returns: The last word of its answer.
  @discardableResult
  package func tell(_ command: String) -> String {
    fputs(command + "\n", input)
    fflush(input)
    let answer = Self.line(output)
    precondition(answer.hasPrefix("done"), "\(command): \(answer)")
    return answer.split(separator: " ").last.map(String.init) ?? ""
  }

  /// Ends both servers and removes their directory, and waits for that.
  package func stop() {
    fclose(input)
    fclose(output)
    var status: Int32 = 0
    while waitpid(supervisor, &status, 0) < 0 && errno == EINTR {}
  }

  private static func line(_ stream: UnsafeMutablePointer<FILE>) -> String {
    var bytes: [UInt8] = []
    while true {
      let byte = fgetc(stream)
      if byte == EOF || byte == 10 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
  }
}
