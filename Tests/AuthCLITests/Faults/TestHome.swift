import Foundation
import Programs

/// A home for the executable under test: everything it keeps lies below one directory that is gone
/// afterwards.
final class TestHome: Sendable {
  static let alice = "marble kettle window harvest"
  static let bob = "paper lantern river orchard"

  private let scratch: ScratchDirectory
  let executable: String

  init(executable: String = BuiltExecutable.cheap) throws {
    scratch = try ScratchDirectory()
    self.executable = executable
  }

  /// Where the executable keeps what it keeps.
  var path: String { scratch.path + "/home" }
  var database: String { path + "/authority.db" }
  var sessionFile: String { path + "/default.session" }

  /// A file of the test's own beside it.
  func file(_ name: String) -> String { scratch.path + "/" + name }

  /// Another home with the same content, for the same executable if no other is named.
  func copy(executable: String? = nil) throws -> TestHome {
    let other = try TestHome(executable: executable ?? self.executable)
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.copyItem(atPath: path, toPath: other.path)
    }
    return other
  }

  /// Runs the executable with these words.
  @discardableResult
  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    timeLimit: Duration = .seconds(60)
  ) async throws -> ProgramOutcome {
    try await Program(
      executable, arguments, environment: self.environment.merging(environment) { $1 }, input: Array(input.utf8),
      timeLimit: timeLimit
    ).run()
  }

  /// The variables that every run gets.
  var environment: [String: String] {
    ["PATH": "/usr/bin:/bin", "HOME": scratch.path, "AUTH_CLI_HOME": path, "TERM": "dumb"]
  }

  /// Runs it and insists on success.
  func succeed(_ arguments: [String], input: String = "") async throws {
    let outcome = try await run(arguments, input: input)
    guard outcome.ending == .exited(0) else {
      throw SetUpFailure(description: "\(arguments) \(outcome.ending): \(outcome.text)")
    }
  }

  /// Makes the accounts alice, the administrator, and bob.
  func register() async throws {
    try await succeed(["register", "alice", "--password-stdin"], input: Self.alice)
    try await succeed(["register", "bob", "--password-stdin"], input: Self.bob)
  }

  func logIn(_ arguments: [String] = []) async throws {
    try await succeed(["login", "alice", "--password-stdin"] + arguments, input: Self.alice)
  }

  struct SetUpFailure: Error, CustomStringConvertible {
    let description: String
  }
}
