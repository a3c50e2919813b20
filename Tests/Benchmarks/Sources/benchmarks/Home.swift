import Foundation
import Glibc

/// The directories of the homes, one run at a time.
///
/// They are on the file system of the build, so that a synchronised write costs what it does on a disk.
enum Homes {
  private static let root = FileManager.default.currentDirectoryPath + "/.build/benchmarks/homes"

  static func make() throws -> String {
    let path = "\(root)/\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return path
  }

  static func remove() { try? FileManager.default.removeItem(atPath: root) }
}

/// alice, the administrator, who has a session and money, and bob, whom she pays.
struct Home {
  static let password = "a password for measurements"

  /// Where the accounts are.
  enum Engine {
    case embedded
    case server(Server, database: String)
  }

  let path: String
  let engine: Engine
  /// `auth-cli`, and the same with a cheap hash.
  let shipped: String
  let cheap: String

  var database: String { path + "/authority.db" }

  // Passwords are hashed at a low cost if it is cheap.
  init(_ engine: Engine = .embedded, isCheap: Bool = true) throws {
    self.engine = engine
    path = try Homes.make()
    shipped = try Program.built("auth-cli")
    switch engine {
    case .embedded: cheap = try Program.built("auth-cli-least-cost")
    case .server: cheap = try Program.built("auth-cli-postgres-least-cost")
    }
    let tool = isCheap ? cheap : shipped
    switch engine {
    case .embedded:
      try withPassword(tool, "register", "alice").run()
      try sql(money(table: "", key: ""))
    case .server(let server, let database):
      try server.run("CREATE DATABASE \(database)", database: "postgres")
      var install = withPassword(tool, "schema", "install", "--first-administrator", "alice")
      install.environment = environment(user: "postgres")
      try install.run()
      try server.run(
        """
        DO $$ BEGIN CREATE ROLE person LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
        GRANT auth_cli TO person; \(money(table: "authcore.", key: ", key_was_given"))
        """, database: database)
    }
    try withPassword(tool, "register", "bob").run()
    try withPassword(tool, "login", "alice").run()
  }

  /// Money for as many payments as a run can make, with its entries.
  private func money(table: String, key: String) -> String {
    """
    INSERT INTO \(table)transfers(payer, payee, amount, made_at\(key))
      VALUES (0, 1, 1000000000000, 0\(key.isEmpty ? "" : ", false"));
    INSERT INTO \(table)entries SELECT 0, max(id), -1000000000000 FROM \(table)transfers;
    INSERT INTO \(table)entries SELECT 1, max(id), 1000000000000 FROM \(table)transfers;
    UPDATE \(table)ledger_accounts SET balance = balance + (CASE id WHEN 0 THEN -1 ELSE 1 END) * 1000000000000
      WHERE id IN (0, 1);
    """
  }

  func environment(user: String = "person") -> [String] {
    let own = ["AUTH_CLI_HOME=" + path, "HOME=" + path]
    switch engine {
    case .embedded: return own
    case .server(let server, let database):
      return own + ["AUTH_CLI_AUTHORITY=" + server.address(database, user: user)]
    }
  }

  /// A run of `auth-cli`.
  func command(_ words: String...) -> Program {
    Program(path: shipped, arguments: words, environment: environment(), errors: path + "/errors")
  }

  /// A run of a program that reads lines, the last of which is the password.
  func withPassword(_ program: String, _ words: String..., lines: String = "") -> Program {
    Program(
      path: program, arguments: words + ["--password-stdin"], environment: environment(),
      input: lines + Self.password + "\n", errors: path + "/errors")
  }

  /// A run of `bare`: the same durable steps in C, with nothing around them.
  func bare(_ words: String...) throws -> Program {
    Program(path: try Program.built("bare"), arguments: words, errors: path + "/errors")
  }

  func sql(_ text: String) throws {
    switch engine {
    case .embedded:
      let script = path + "/script.sql"
      try text.write(toFile: script, atomically: false, encoding: .utf8)
      try bare("sql", database, script).run()
    case .server(let server, let database): try server.run(text, database: database)
    }
  }
}

/// A PostgreSQL server of this run, with durable commits, that ends with this process.
final class Server {
  private let socket: String
  private let psql: String

  init() throws {
    psql = try Program.installed("psql")
    _ = try Program.built("auth-cli-postgres")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ".ci/throwaway-postgres")
    process.arguments = ["fsync=on"]
    let output = Pipe()
    // The server stops when nobody holds the other end any more.
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("/") else { throw Skip(reason: "no PostgreSQL server is installed") }
    socket = String(line.dropLast())
    Server.processes.append(process)
  }

  nonisolated(unsafe) private static var processes: [Process] = []

  func address(_ database: String, user: String) -> String { "postgresql:///\(database)?host=\(socket)&user=\(user)" }

  func run(_ sql: String, database: String) throws {
    try Program(
      path: psql,
      arguments: [
        "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", "SET client_min_messages = warning", "-c", sql,
        address(database, user: "postgres"),
      ], errors: ".build/benchmarks/errors"
    ).run()
  }
}
