import Foundation
import Glibc

/// The directories of the homes, one run at a time.
///
/// They are on the file system of the build, so that a synchronised write costs what it does on a
/// disk.
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

  let path: String
  /// `auth-cli`, and the same with a cheap hash.
  let shipped: String
  let cheap: String

  var database: String { path + "/authority.db" }

  // Passwords are hashed at a low cost if it is cheap.
  init(isCheap: Bool = true) throws {
    path = try Homes.make()
    shipped = try Program.built("auth-cli")
    cheap = try Program.built("auth-cli-least-cost")
    let tool = isCheap ? cheap : shipped
    try withPassword(tool, "register", "alice").run()
    try sql(Self.money)
    try withPassword(tool, "register", "bob").run()
    try withPassword(tool, "login", "alice").run()
  }

  /// Money for as many payments as a run can make, with its entries.
  private static let money = """
    INSERT INTO transfers(payer, payee, amount, made_at) VALUES (0, 1, 1000000000000, 0);
    INSERT INTO entries SELECT 0, max(id), -1000000000000 FROM transfers;
    INSERT INTO entries SELECT 1, max(id), 1000000000000 FROM transfers;
    UPDATE ledger_accounts SET balance = balance + (CASE id WHEN 0 THEN -1 ELSE 1 END) * 1000000000000
      WHERE id IN (0, 1);
    """

  var environment: [String] { ["AUTH_CLI_HOME=" + path, "HOME=" + path] }

  /// A run of `auth-cli`.
  func command(_ words: String...) -> Program {
    Program(path: shipped, arguments: words, environment: environment, errors: path + "/errors")
  }

  /// A run of a program that reads lines, the last of which is the password.
  func withPassword(_ program: String, _ words: String..., lines: String = "") -> Program {
    withPassword(program, words, lines: lines)
  }

  func withPassword(_ program: String, _ words: [String], lines: String) -> Program {
    Program(
      path: program, arguments: words + ["--password-stdin"], environment: environment,
      input: lines + Self.password + "\n", errors: path + "/errors")
  }

  /// A run of `bare`: the same durable steps in C, with nothing around them.
  func bare(_ words: String...) throws -> Program {
    Program(path: try Program.built("bare"), arguments: words, errors: path + "/errors")
  }

  func sql(_ text: String) throws {
    let script = path + "/script.sql"
    try text.write(toFile: script, atomically: false, encoding: .utf8)
    try bare("sql", database, script).run()
  }
}
