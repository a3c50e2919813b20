import Glibc
import Programs
import Services
import Terminals
import Testing

/// Runs a script of bash in which `auth-service` has a cheap hash and `auth-cli` is the one of this
/// build, and expects how it ends and what it prints.
///
/// - Returns: What it prints.
@discardableResult
func bash(
  _ script: String, _ environment: [String: String] = [:], arguments: [String] = [], exits status: Int32 = 0,
  printing expected: String..., sourceLocation: SourceLocation = #_sourceLocation
) async throws -> String {
  let folder = ShortFolder()
  #expect(symlink(RunningService.executable, folder.path + "/auth-service") == 0)
  let path = [folder.path, LeastCost.products, RunningService.postgresPrograms ?? "/usr/local/bin"]
  let standard = [
    "PATH": (path + ["/usr/local/bin", "/usr/bin", "/bin"]).joined(separator: ":"), "LC_ALL": "C.UTF-8",
  ]
  let outcome = try await Program(
    "bash", ["-euc", script, "bash"] + arguments, environment: standard.merging(environment) { $1 },
    timeLimit: .seconds(600)
  ).run()
  #expect(outcome.ending == .exited(status), "\(outcome.text)", sourceLocation: sourceLocation)
  for words in expected {
    #expect(outcome.text.contains(words), "\(words): \(outcome.text)", sourceLocation: sourceLocation)
  }
  return outcome.text
}

extension TerminalProcess {
  /// Starts a program with its standard error in a file.
  convenience init(_ program: [String], environment: [String: String], errors: String) throws {
    try self.init(["/bin/sh", "-c", #"exec "$@" 2>>"$0""#, errors] + program, environment: environment)
  }

  /// Sends a signal, and waits until the program has ended.
  func end(_ signal: Int32) throws -> End {
    if isRunning { kill(id, signal) }
    return try wait()
  }
}
