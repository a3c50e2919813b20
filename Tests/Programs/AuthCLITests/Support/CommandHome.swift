import AuthAccounts
import DatabaseFiles
import Foundation
import Programs
import Races
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
  private let scratch: ShortFolder

  /// Where the database and the sessions lie.
  let data: String
  var state: String { data }

  /// Makes a home.
  ///
  /// - Parameters:
  ///   - registered: Whether alice, who is the administrator, and bob have accounts in it.
  ///   - loggedIn: Whether alice is logged in.
  ///   - executable: The program that makes the accounts and runs the commands.
  /// - Throws: What kept it from being made.
  init(
    registered: Bool = true, loggedIn: Bool = false, executable: String = BuiltExecutable.cheap
  ) async throws {
    self.executable = executable
    scratch = ShortFolder.quick
    let path = scratch.path
    data = path + "/home"
    environment = [
      "HOME": path, "PATH": "/usr/bin:/bin", "TERM": "xterm", "TZ": "GMT", "PS1": "ready> ", "AUTH_CLI_HOME": data,
    ]
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
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return try await Program(
      executable, words, environment: environment.merging(variables) { $1 }, input: Array(input.utf8),
      timeLimit: .seconds(60)
    ).run()
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
    try DatabaseFile(database).run(statement)
  }

  /// The rows of some queries, and a row for a query that fails.
  func rows(_ queries: String...) -> [String] {
    queries.flatMap { query in (try? DatabaseFile(database).run(query)) ?? ["\(query) failed"] }
  }

  /// Runs a command on a terminal while `story` reads and types there, and returns how it ended and
  /// all that was shown.
  ///
  /// It checks that the settings of the terminal are restored.
  @discardableResult
  func play(
    _ line: String, columns: Int = 80, adding variables: [String: String] = [:],
    _ story: @escaping @Sendable (PseudoTerminal) throws -> Void = { _ in }
  ) async throws -> (end: TerminalProcess.End, shown: String) {
    let terminal = try PseudoTerminal(columns: UInt16(columns))
    let before = terminal.settings
    let (words, environment) = (words(line), environment.merging(variables) { $1 })
    let end = try await onOwnThread {
      let program = try terminal.launch(words, environment: environment)
      try story(terminal)
      _ = try terminal.expectEnd()
      return try program.wait()
    }
    #expect(terminal.settings == before, "\(line): the settings of the terminal are not restored")
    return (end, terminal.transcript)
  }
}
