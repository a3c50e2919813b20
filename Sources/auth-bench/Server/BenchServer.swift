import Glibc
import PostgresServers

/// A PostgreSQL server of this run, with durable commits.
final class BenchServer {
  let server: ThrowawayServer
  let directory: BenchDirectory
  /// The clients themselves: Debian's `/usr/bin/psql` is a script around one.
  let psql: String
  let pgbench: String

  init() throws {
    guard ThrowawayServer.isPossible, let psql = Self.client("psql"), let pgbench = Self.client("pgbench") else {
      throw BenchError("no PostgreSQL server is installed; apt-get install postgresql")
    }
    guard access(BenchTools.companion, X_OK) == 0 else {
      throw BenchError("\(BenchTools.companion) is not built; it needs libpq-dev")
    }
    self.psql = psql
    self.pgbench = pgbench
    directory = try BenchDirectory()
    do {
      server = try ThrowawayServer(settings: ["fsync=on"])
    } catch {
      throw BenchError(error.description)
    }
  }

  deinit {
    server.stop()
  }

  private static func client(_ name: String) -> String? {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob("/usr/lib/postgresql/*/bin/" + name, 0, nil, &found) == 0, let path = found.gl_pathv[0] else {
      return BenchTools.installed(name)
    }
    return String(cString: path)
  }

  /// A run of psql.
  func query(_ text: String, database: String, user: String = "postgres") -> ChildProcess {
    ChildProcess(path: psql, arguments: ["-XAtqc", text, server.address(database, user: user)])
  }
}

/// A database there: alice, the administrator, who has a session and money, and bob, whom she pays.
final class BenchServerHome {
  let server: BenchServer
  let name: String
  let path: String

  init(_ name: String, on server: BenchServer) throws {
    self.server = server
    self.name = name
    path = try server.directory.directory(name)
    try server.query("CREATE DATABASE \(name)", database: "postgres").run()
    try tool(["schema", "install", "--first-administrator", "alice", "--password-stdin"], user: "postgres").run()
    try sql(
      """
      DO $$ BEGIN CREATE ROLE person LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      GRANT auth_cli TO person
      """)
    try tool(["register", "bob", "--password-stdin"]).run()
    try sql(
      """
      INSERT INTO authcore.transfers(payer, payee, amount, key_was_given, made_at) VALUES (0, 1, 1000000000000, false, 0);
      INSERT INTO authcore.entries SELECT 0, max(id), -1000000000000 FROM authcore.transfers;
      INSERT INTO authcore.entries SELECT 1, max(id), 1000000000000 FROM authcore.transfers;
      UPDATE authcore.ledger_accounts SET balance = balance + (CASE id WHEN 0 THEN -1 ELSE 1 END) * 1000000000000
        WHERE id IN (0, 1)
      """)
    try logIn()
  }

  /// A run of the program for servers, with the password on standard input where it asks for one.
  func tool(_ words: [String], password: String = BenchHome.password, user: String = "person") -> ChildProcess {
    ChildProcess(
      path: BenchTools.companion, arguments: words, environment: environment(user),
      input: words.last == "--password-stdin" ? Array((password + "\n").utf8) : [], errors: path + "/errors")
  }

  /// A run of `auth-cli`, which replaces itself by that program.
  func command(_ words: String...) throws -> ChildProcess {
    ChildProcess(
      path: try BenchTools.commandLine(), arguments: words, environment: environment("person"),
      errors: path + "/errors")
  }

  /// A run of the program that pays over live connections.
  func payments(_ secret: String, _ connections: Int, _ each: Int) -> ChildProcess {
    ChildProcess(
      path: BenchTools.directory + "/auth-live-payments",
      arguments: [server.server.address(name, user: "person"), secret, "bob", "\(connections)", "\(each)"],
      errors: path + "/errors")
  }

  private func environment(_ user: String) -> [String] {
    ["AUTH_CLI_AUTHORITY=" + server.server.address(name, user: user), "AUTH_CLI_HOME=" + path, "HOME=" + path]
  }

  func logIn() throws {
    try tool(["login", "alice", "--password-stdin"]).run()
  }

  /// The secret of alice's token, in hexadecimal digits.
  func secret() throws -> String {
    let lines = try BenchFile.read(path + "/default.session").split(separator: "\n")
    guard lines.count == 4 else { throw BenchError("the session file has another form") }
    return String(lines[1])
  }

  /// A run of psql that calls a function as alice's client does.
  func call(_ call: String) -> ChildProcess {
    server.query("SELECT code FROM authcore.\(call)", database: name, user: "person")
  }

  func sql(_ text: String) throws {
    try server.query("SET client_min_messages = warning; " + text, database: name).run()
  }

  func number(_ text: String) throws -> Int64 {
    let printed = try server.query(text, database: name).read(in: server.directory)
    return Int64(printed.filter { $0 != "\n" }) ?? -1
  }
}
