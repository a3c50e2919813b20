import AuthAccounts
import Foundation
import Synchronization

/// A service on PostgreSQL beside psql and pgbench.
func serviceOnPostgres() throws -> [Benchmark] {
  let server = try Server.withAccounts()
  try server.run(
    "CREATE TABLE plain(id int PRIMARY KEY, balance bigint); INSERT INTO plain VALUES (1, 0), (2, 0)",
    database: "accounts")
  let service = try Service(postgres: server)
  let pay = service.command("pay", "0.01", "--to", "bob")
  let plain = server.psql(
    "BEGIN; UPDATE plain SET balance = balance - 1 WHERE id = 1; UPDATE plain SET balance = balance + 1 WHERE id = 2; COMMIT",
    database: "accounts")
  return try [
    Benchmark(
      "status by the service on PostgreSQL", .milliseconds, .atMost(0.25), samples: 60, against: "psql's select 1",
      service.command("status").time, baseline: server.psql("SELECT 1", database: "accounts").time),
    Benchmark(
      "auth-cli pay, 16 at once, by the service on PostgreSQL", .perSecond, .atLeast(5), samples: 5,
      against: "16 psql processes", { try paying(pay) }, baseline: { try paying(plain) }),
  ] + live(server)
}

/// Clients that stay connected and pay, beside pgbench with the statements of a payment, and beside
/// a service that does not ask for the position in the log at each change.
private func live(_ server: Server) throws -> [Benchmark] {
  let most = 32
  try server.addPayers(most)
  let (service, other) = (try Service(postgres: server), try Service(postgres: server, recordsServer: false))
  // A service runs as long as a row refers to one of its clients.
  let clients = try (1...most).map { try Client("payer\($0)", of: service) }
  let others = try (1...most).map { try Client("payer\($0)", of: other) }
  return [(1, 1), (8, 1), (32, 1), (8, 8), (32, 32)].map { count, payees in
    Benchmark(
      "\(count) live connections paying \(payees == 1 ? "one payee" : "different payees")", .perSecond, .atLeast(0.8),
      samples: 5, against: "pgbench", { try paying(clients, count, payees) },
      baseline: { try server.pgbench(clients: count, payees: payees) })
  } + [
    Benchmark(
      "\(most) live connections paying, with the position in the log", .perSecond, .atLeast(0.95), samples: 9,
      against: "without", { try paying(clients, most, most) }, baseline: { try paying(others, most, most) })
  ]
}

/// Pays with so many of the clients at a time, in turn: an account may make so many changes without
/// a pause.
///
/// - Returns: Payments per second.
private func paying(_ clients: [Client], _ count: Int, _ payees: Int) throws -> Double {
  let orders = try (0..<count).map {
    PaymentOrder(amount: try Amount("0.01"), payee: try Username("payee\($0 % payees + 1)"))
  }
  let paid = Atomic(0)
  let time = Duration.seconds(2)
  let end = ContinuousClock.now + time
  together(count) { number in
    var turn = number
    repeat {
      clients[turn].pay(orders[number])
      paid.add(1, ordering: .relaxed)
      turn = turn + count < clients.count ? turn + count : number
    } while ContinuousClock.now < end
  }
  return Double(paid.load(ordering: .relaxed)) / (ContinuousClock.now - end + time).nanoseconds * 1e9
}

/// A PostgreSQL server of this run, with durable commits, that ends with this process.
final class Server {
  private let socket: String
  private let program: String
  private let process = Process()
  private let leash = Pipe()
  let errors = ".build/benchmarks/errors"

  init() throws {
    program = try Program.installed("psql")
    process.executableURL = URL(fileURLWithPath: ".ci/throwaway-postgres")
    process.arguments = ["fsync=on"]
    let output = Pipe()
    // The server stops when nobody holds the other end any more.
    process.standardInput = leash
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("/") else { throw Skip(reason: "no PostgreSQL server is installed") }
    socket = String(line.dropLast())
  }

  /// A server with the accounts of alice, the administrator, who has money, and of bob.
  static func withAccounts(isCheap: Bool = true) throws -> Server {
    let server = try Server()
    try server.run("CREATE DATABASE accounts", database: "postgres")
    let install = Program(
      path: try Program.built(isCheap ? "auth-service-least-cost" : "auth-service"),
      arguments: ["schema", "install", "--first-administrator", "alice", "--password-stdin"],
      environment: ["AUTH_SERVICE_POSTGRES=" + server.address("accounts")], input: Home.password + "\n",
      errors: server.errors)
    try install.run()
    try server.run(
      """
      INSERT INTO auth.accounts(name, display_name, role, password_hash, created_at)
        SELECT 'bob', 'bob', role, password_hash, 0 FROM auth.accounts;
      INSERT INTO auth.ledger_accounts SELECT id, 0 FROM auth.accounts WHERE name = 'bob';
      UPDATE auth.ledger_accounts SET balance = balance + 100000000
        WHERE id = (SELECT id FROM auth.accounts WHERE name = 'alice');
      """, database: "accounts")
    return server
  }

  func address(_ database: String) -> String { "postgresql:///\(database)?host=\(socket)&user=postgres" }

  /// A run of psql.
  func psql(_ sql: String, database: String) -> Program {
    Program(
      path: program, arguments: ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, address(database)],
      environment: ["PGOPTIONS=-c client_min_messages=warning"], errors: errors, server: self)
  }

  func run(_ sql: String, database: String) throws { try psql(sql, database: database).run() }

  /// Adds users with money, as many payees, and the script of pgbench.
  func addPayers(_ count: Int) throws {
    try run(
      """
      INSERT INTO auth.accounts(name, display_name, role, password_hash, created_at)
        SELECT kind || n, kind || n, 'member', password_hash, 0
        FROM auth.accounts, generate_series(1, \(count)) n, (VALUES ('payer'), ('payee')) kinds(kind)
        WHERE name = 'alice';
      INSERT INTO auth.ledger_accounts SELECT id, 100000000 FROM auth.accounts WHERE name LIKE 'paye%';
      """, database: "accounts")
    try payment.write(toFile: script, atomically: false, encoding: .utf8)
  }

  private var script: String { FileManager.default.currentDirectoryPath + "/.build/benchmarks/payment.sql" }

  /// Pays as ``addPayers(_:)`` prepared it; each payer has to have a session.
  ///
  /// - Returns: Payments per second.
  func pgbench(clients: Int, payees: Int) throws -> Double {
    let words = [
      "-n", "-M", "prepared", "-T", "2", "-c", String(clients), "-j", String(min(clients, 2)), "-D", "ready=0",
      "-D", "payees=\(payees)", "-f", script, address("accounts"),
    ]
    let output = try Program(
      path: Program.installed("pgbench"), arguments: words, environment: ["PGOPTIONS=-c search_path=auth"],
      errors: errors
    ).output()
    guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let rate = Double(line.split(separator: " ")[2])
    else { throw Failure(reason: "pgbench printed \(output)") }
    return rate
  }
}

/// The statements of a payment by the service, with a key, for pgbench.
private let payment = #"""
  \if :ready = 0
  \set number :client_id + 1
  \set other :client_id % :payees + 1
  SELECT s.token_hash AS hash, 'payee' || :other AS other FROM sessions s JOIN accounts a ON a.id = s.account
    WHERE a.name = 'payer' || :number ORDER BY s.created_at DESC LIMIT 1 \gset
  \set ready 1
  \endif
  \set key random(1, 1000000000000000000)
  BEGIN;
  SELECT pg_advisory_xact_lock_shared(1), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now \gset
  SELECT 1 FROM sessions WHERE token_hash = :hash
    OR id = (SELECT session FROM other_tokens WHERE token_hash = :hash) FOR NO KEY UPDATE;
  SELECT s.id, s.boot, s.active, s.idle_span, s.absolute_until, s.fresh_until, s.ended_reason, s.label, s.created_at,
    s.active_at, s.token_hash, s.uses_after_end, a.disabled, a.id AS payer, a.name, a.display_name, a.role,
    s.absolute_span
    FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.token_hash = :hash \gset
  SELECT id AS payee, name, display_name, role, disabled FROM accounts WHERE name = :other \gset
  SELECT 1 FROM ledger_accounts WHERE id IN (:payer, :payee) ORDER BY id FOR NO KEY UPDATE;
  SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, t.key, t.made_at
    FROM transfers t LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
    WHERE t.payer = :payer AND t.key = :key;
  SELECT one.balance, other.balance FROM ledger_accounts one, ledger_accounts other
    WHERE one.id = :payer AND other.id = :payee;
  INSERT INTO transfers(payer, payee, amount, key, made_at) VALUES (:payer, :payee, 1, :key, :now)
    RETURNING id AS transfer \gset
  INSERT INTO entries(account, transfer, amount) VALUES (:payer, :transfer, -1);
  UPDATE ledger_accounts SET balance = balance - 1 WHERE id = :payer;
  INSERT INTO entries(account, transfer, amount) VALUES (:payee, :transfer, 1);
  UPDATE ledger_accounts SET balance = balance + 1 WHERE id = :payee;
  COMMIT;
  """#
