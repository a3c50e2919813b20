import CSQLite
import Foundation
import Programs
import Terminals
import Testing

/// A home for one test, and the built program to use it with: all that it keeps lies below one
/// directory, which is removed at the end.
final class CommandHome: Sendable {
  /// Of the accounts.
  static let alice = "marble kettle window harvest"
  static let bob = "paper lantern river orchard"
  static let passwords = ["alice": alice, "bob": bob]

  let environment: [String: String]
  let executable: String
  private let scratch: ScratchDirectory

  /// Where the database lies.
  let data: String
  /// Where the sessions lie.
  let state: String

  /// Makes a home.
  ///
  /// - Parameters:
  ///   - registered: Whether alice, who is the administrator, and bob have accounts in it.
  ///   - loggedIn: Whether alice is logged in.
  ///   - apart: Whether the database and the sessions are in directories of their own.
  ///   - executable: The program that makes the accounts and runs the commands.
  /// - Throws: What kept it from being made.
  init(
    registered: Bool = true, loggedIn: Bool = false, apart: Bool = false, executable: String = BuiltExecutable.cheap
  ) async throws {
    self.executable = executable
    scratch = try ScratchDirectory()
    let path = scratch.path
    var environment = ["HOME": path, "PATH": "/usr/bin:/bin", "TERM": "xterm", "TZ": "GMT", "PS1": "ready> "]
    if apart {
      (data, state) = (path + "/data/auth-cli", path + "/state/auth-cli")
      environment["XDG_DATA_HOME"] = path + "/data"
      environment["XDG_STATE_HOME"] = path + "/state"
    } else {
      (data, state) = (path + "/home", path + "/home")
      environment["AUTH_CLI_HOME"] = path + "/home"
    }
    self.environment = environment
    if registered {
      let origin = executable == BuiltExecutable.cheap ? Self.registered : Self.registeredByShipped
      try FileManager.default.copyItem(atPath: try await origin.value.data, toPath: data)
    }
    if loggedIn { try await succeed("login alice", as: "alice") }
  }

  /// What every home with accounts begins as a copy of, for each executable.
  private static let registered = Task { try await registered(by: BuiltExecutable.cheap) }
  private static let registeredByShipped = Task { try await registered(by: BuiltExecutable.shipped) }

  private static func registered(by executable: String) async throws -> CommandHome {
    let home = try await CommandHome(registered: false, executable: executable)
    for account in ["alice", "bob"] { try await home.succeed("register \(account)", as: account) }
    return home
  }

  /// A home with the same content, for the same program if no other is named.
  func copy(executable: String? = nil) async throws -> CommandHome {
    let other = try await CommandHome(registered: false, executable: executable ?? self.executable)
    if FileManager.default.fileExists(atPath: data) {
      try FileManager.default.copyItem(atPath: data, toPath: other.data)
    }
    return other
  }

  var database: String { data + "/authority.db" }
  var sessionFile: String { state + "/default.session" }

  /// A file of the test's own beside the home.
  func file(_ name: String) -> String { scratch.path + "/" + name }

  /// Runs a command line without a terminal; its words are separated by single spaces.
  func run(_ line: String, input: String = "", adding variables: [String: String] = [:]) async throws -> ProgramOutcome
  {
    try await run(line, adding: variables) { input }
  }

  /// The same with an input that is made when the program starts.
  func run(
    _ line: String, adding variables: [String: String] = [:], input: @escaping @Sendable () -> String
  ) async throws -> ProgramOutcome {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let environment = environment.merging(variables) { $1 }
    return try await Program(executable, words, environment: environment, timeLimit: .seconds(60))
      .run { Array(input().utf8) }
  }

  /// Runs a command that must succeed, with a password on its standard input if it wants one: that
  /// of an account, or another.
  func succeed(
    _ line: String, as account: String? = nil, password other: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let password = other ?? account.flatMap { Self.passwords[$0] }
    let whole = password == nil ? line : "\(line) --password-stdin"
    let outcome = try await run(whole, input: password ?? "")
    try #require(outcome.ending == .exited(0), "\(whole): \(outcome.text)", sourceLocation: sourceLocation)
  }

  /// The words that start the program, for what runs it by itself.
  func words(_ line: String) -> [String] {
    [executable] + line.split(separator: " ").map(String.init)
  }

  /// Writes into the database what else only time could: a deadline that has passed, another boot,
  /// many failures.
  func changeDatabase(_ statement: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    var code = sqlite3_open_v2(database, &connection, SQLITE_OPEN_READWRITE, nil)
    if code == SQLITE_OK {
      sqlite3_busy_timeout(connection, 20_000)
      code = sqlite3_exec(connection, statement, nil, nil, nil)
    }
    guard code == SQLITE_OK else {
      throw PseudoTerminal.Failure(description: "\(statement): \(String(cString: sqlite3_errmsg(connection)))")
    }
  }

  /// The statements that make every session look as if that time had passed.
  enum Passed {
    static let freshness = "UPDATE sessions SET fresh_until = 0"
    static let idle = "UPDATE sessions SET active = 0, idle_span = 1"
    static let absolute = "UPDATE sessions SET absolute_until = 0"
    static let boot = "UPDATE sessions SET boot = zeroblob(16)"
  }
}
