import AuthBackend
import AuthCore
import AuthSQLite
import CSQLite

/// A home of `auth-cli` for measurements: alice, the administrator, who has a session and money,
/// and bob, whom she pays.
struct BenchHome {
  static let password = "a password for measurements"

  let path: String
  let program: String
  private let ownCopy: String
  let directory: BenchDirectory

  var environment: [String] { ["AUTH_CLI_HOME=" + path, "HOME=" + path] }
  private var errors: String { path + ".errors" }
  var database: String { path + "/authority.db" }

  /// Makes it.
  ///
  /// - Parameters:
  ///   - name: What to call its directory.
  ///   - directory: Where it is made.
  ///   - cost: What a password check costs; the command line itself hashes anew what was hashed for
  ///     less.
  /// - Throws: What kept it from being made.
  init(_ name: String, in directory: BenchDirectory, cost: PasswordCost = .standard) throws {
    path = try directory.directory(name)
    self.directory = directory
    program = try BenchTools.commandLine()
    ownCopy = try BenchTools.ownCopy(in: directory)
    let authority = LocalAuthority(directory: path, cost: cost)
    for user in ["alice", "bob"] { _ = try authority.register(username: user, password: Password(Self.password)) }
    try sql { database in
      // Money for as many payments as a run can make, with its entries.
      try database.execute(
        """
        PRAGMA foreign_keys = ON; BEGIN;
        INSERT INTO transfers(payer, payee, amount, made_at) VALUES (0, 1, 1000000000000, 0);
        INSERT INTO entries SELECT 0, max(id), -1000000000000 FROM transfers;
        INSERT INTO entries SELECT 1, max(id), 1000000000000 FROM transfers;
        UPDATE ledger_accounts SET balance = balance - 1000000000000 WHERE id = 0;
        UPDATE ledger_accounts SET balance = balance + 1000000000000 WHERE id = 1;
        COMMIT
        """)
    }
  }

  /// A run of the command line here.
  func command(_ words: String...) -> ChildProcess {
    ChildProcess(path: program, arguments: words, environment: environment, errors: errors)
  }

  /// A run of the command line here that is given the password.
  func command(withPassword words: String...) -> ChildProcess {
    ChildProcess(
      path: program, arguments: words + ["--password-stdin"], environment: environment,
      input: Array((Self.password + "\n").utf8), errors: errors)
  }

  /// A login without the price of the password, through the library: by this program in the part of
  /// a command line.
  func cheapLogin() -> ChildProcess {
    ChildProcess(path: ownCopy, arguments: ["--log-in", path], environment: environment)
  }

  /// Opens the database beside the authority.
  func sql<Result>(_ body: (BenchDatabase) throws -> Result) throws -> Result {
    try body(BenchDatabase(path: database))
  }
}
