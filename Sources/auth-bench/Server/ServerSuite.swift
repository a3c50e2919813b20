import Glibc
import PostgresServers

extension Suite {
  /// The same commands over a PostgreSQL server on this machine, beside its own client.
  static let server = Suite(
    name: "server", summary: "commands over a PostgreSQL server, beside psql",
    rounds: { $0.rounds * 3 },
    benchmarks: { _ in
      let server = try BenchServer()
      let home = try BenchServerHome("accounts", on: server)
      let watched = try BenchServerHome("watched", on: server)
      let secret = try home.secret()
      let before = try home.number(receipts)
      var made: Int64 = 0
      return [
        Benchmark("psql: select 1") { run(server.query("SELECT 1", database: "accounts", user: "person")) },
        Benchmark("status", against: "psql: select 1", goal: .ratio(1.5)) { run(home.tool(["status"])) },
        Benchmark("status, by way of auth-cli", against: "psql: select 1", goal: .ratio(1.5)) {
          run(require("auth-cli") { try home.command("status") })
        },
        Benchmark("psql calls pay, 16 at once", .perSecond) {
          made += Int64(payments)
          let key = "md5(random()::text)"
          return paying(home.call("pay(1, '\\x\(secret)', 'bob', 1, \(key), true)"))
        },
        Benchmark("pay, 16 at once", .perSecond, against: "psql calls pay, 16 at once", goal: .ratioAtLeast(0.9)) {
          made += Int64(payments)
          return paying(home.tool(["pay", "0.01", "--to", "bob"]))
        },
        Benchmark("pgbench calls pay, 16 connections", .perSecond) {
          made += Int64(live.connections * live.payments)
          return live.perSecond(pgbench(home, secret))
        },
        Benchmark(
          "pay, 16 live connections", .perSecond, against: "pgbench calls pay, 16 connections",
          goal: .ratioAtLeast(0.9)
        ) {
          made += Int64(live.connections * live.payments)
          return live.perSecond(home.payments(secret, live.connections, live.payments))
        },
        Benchmark("receipts missing after that", .count, goal: .atMost(0)) {
          require("receipts") { Double(try before + made - home.number(receipts)) }
        },
        Benchmark(
          "a logout elsewhere, until watch shows it", .nanoseconds, goal: .nanoseconds(50_000_000),
          sample: { require("watch") { try secondsUntilShown(watched) * 1e9 } }),
      ]
    })

  /// The same with many accounts, sessions, receipts and events as with few.
  static let serverScale = Suite(
    name: "server-scale", summary: "commands over a PostgreSQL server with 1,000,000 accounts, beside 10", isDear: true,
    rounds: { $0.rounds * 3 },
    benchmarks: { options in
      let server = try BenchServer()
      let few = try BenchServerHome("few", on: server)
      let many = try BenchServerHome("many", on: server)
      try few.sql(population(10))
      try many.sql(population(options.isQuick ? 100_000 : 1_000_000))
      return ["status", "pay 0.01 --to bob"].flatMap { line in
        let words = line.split(separator: " ").map(String.init)
        return [
          Benchmark("\(words[0]), few accounts") { run(few.tool(words)) },
          Benchmark("\(words[0]), many accounts", against: "\(words[0]), few accounts", goal: .ratio(1.2)) {
            run(many.tool(words))
          },
        ]
      }
    })

  /// Whether the time of a refusal tells an account from none, at the standard cost and where the
  /// cost was raised since the accounts were made.
  static let serverRefusals = Suite(
    name: "server-refusals", summary: "refused logins over a PostgreSQL server, a fresh name each time", isDear: true,
    rounds: { $0.isQuick ? 10 : 100 },
    benchmarks: { options in
      let server = try BenchServer()
      return try ["", ", cost raised since"].enumerated().flatMap { number, suffix in
        let home = try BenchServerHome("refusals\(number)", on: server)
        try home.tool(["logout"]).run()
        try home.sql(refusable(options.isQuick ? 11 : 101, isCheap: number == 1))
        func refused(_ kind: String, _ status: Int32) -> () -> Void {
          var next = 0
          return {
            next += 1
            let password = kind == "disabled" ? BenchHome.password : "not the password of anybody"
            refuse(home.tool(["login", "\(kind)\(next)", "--password-stdin"], password: password), status)
          }
        }
        return [
          Benchmark("unknown name" + suffix, refused("nobody", 5)),
          Benchmark(
            "wrong password" + suffix, against: "unknown name" + suffix, goal: .within(1.05), refused("wrong", 5)),
          Benchmark(
            "disabled account" + suffix, against: "unknown name" + suffix, goal: .within(1.05), refused("disabled", 5)),
          Benchmark(
            "locked account" + suffix, against: "unknown name" + suffix, goal: .within(1.05), refused("locked", 6)),
        ]
      }
    })
}

private let receipts = "SELECT count(*) FROM authcore.transfers"

/// Payments over connections that stay.
private struct LivePayments {
  let connections = 16
  let payments = 25

  func perSecond(_ program: ChildProcess) -> Double {
    let elapsed = ContinuousClock().measure { run(program) }
    return Double(connections * payments) / elapsed.nanoseconds * 1e9
  }
}

private let live = LivePayments()

/// A run of pgbench that calls the function that pays, with bound parameters as our clients do.
private func pgbench(_ home: BenchServerHome, _ secret: String) -> ChildProcess {
  let call = "SELECT * FROM authcore.pay(1, '\\x\(secret)', 'bob', 1, md5(random()::text), true);\n"
  return ChildProcess(
    path: home.server.pgbench,
    arguments: [
      "-n", "-M", "extended", "-c", "\(live.connections)", "-j", "2", "-t", "\(live.payments)", "-f", "-",
      "-h", home.server.server.directory, "-U", "person", home.name,
    ], input: Array(call.utf8), errors: home.path + "/errors")
}

/// How long a logout over a live connection takes until a watch of the session shows it.
private func secondsUntilShown(_ home: BenchServerHome) throws -> Double {
  try home.logIn()
  let watch = try BenchTerminal(home.tool(["watch", "--until", "logged-out"]))
  try watch.read(upTo: "logged in")
  let elsewhere = try BenchTerminal(
    ChildProcess(
      path: home.server.psql, arguments: ["-XAtqn", home.server.server.address(home.name, user: "person")]))
  func revoke(_ secret: String) throws {
    try elsewhere.send("SELECT code FROM authcore.revoke(1, '\\x\(secret)', 'user_asked');\n")
  }
  // The functions are read and planned before.
  try revoke(String(repeating: "0", count: 64))
  try elsewhere.read(upTo: "ok\r\n")
  return try ContinuousClock().measure {
    try revoke(home.secret())
    try watch.read(upTo: "logged out")
  }.nanoseconds / 1e9
}

/// Runs a login that is to be refused with this status.
private func refuse(_ program: ChildProcess, _ expected: Int32) {
  var quiet = program
  quiet.errors = "/dev/null"
  require(quiet.arguments.joined(separator: " ")) {
    var status: Int32 = 0
    guard waitpid(try quiet.start(), &status, 0) > 0 else { throw BenchError.system("waitpid") }
    guard status == expected << 8 else { throw BenchError("wait status \(status) in place of \(expected << 8)") }
  }
}

/// So many accounts, each with a session, a receipt and an event.
private func population(_ count: Int) -> String {
  """
  SET session_replication_role = replica;
  INSERT INTO authcore.accounts(id, name, display_name, role, setting, verifier, created_at)
    SELECT i, 'user' || i, 'user' || i, 'member', a.setting, a.verifier, 0
    FROM authcore.accounts a, generate_series(1000, 999 + \(count)) i WHERE a.name = 'bob';
  INSERT INTO authcore.ledger_accounts SELECT i, 1 FROM generate_series(1000, 999 + \(count)) i;
  INSERT INTO authcore.sessions(id, token_hash, account, active, idle_span, absolute_until, fresh_until, absolute_span,
      created_at, active_at, purge_after)
    SELECT 'session' || i, sha256(int8send(i)), i, 0, 1, 1, 1, 1, 0, 0, 9000000000000000
    FROM generate_series(1000, 999 + \(count)) i;
  INSERT INTO authcore.transfers(id, payer, payee, amount, key_was_given, made_at)
    OVERRIDING SYSTEM VALUE SELECT i, 0, i, 1, false, 0 FROM generate_series(1000, 999 + \(count)) i;
  SELECT setval('authcore.transfers_id_seq', 1000 + \(count));
  INSERT INTO authcore.entries SELECT s.account, i, s.amount FROM generate_series(1000, 999 + \(count)) i,
    LATERAL (VALUES (0::bigint, -1::bigint), (i, 1)) s(account, amount);
  INSERT INTO authcore.events(id, at, name, account)
    SELECT i, i, 'user_created', i FROM generate_series(1000, 999 + \(count)) i;
  ANALYZE
  """
}

/// So many accounts of each kind, with the hash of alice's password or one of low cost.
private func refusable(_ count: Int, isCheap: Bool) -> String {
  let setting = isCheap ? "'$y$j75$aaaaaaaaaaaaaaaaaaaaa.'" : "a.setting"
  return """
    INSERT INTO authcore.accounts(id, name, display_name, role, setting, verifier, created_at, disabled, guesses, failures)
      SELECT 1000 + i * 3 + k.number, k.kind || i, k.kind || i, 'member', \(setting), a.verifier, 0, k.number = 1,
        k.number / 2 * 100, k.number / 2 * 100
      FROM authcore.accounts a, generate_series(1, \(count)) i,
        (VALUES ('wrong', 0), ('disabled', 1), ('locked', 2)) k(kind, number) WHERE a.name = 'alice';
    UPDATE authcore.hash_costs SET accounts = \(isCheap ? 0 : 1);
    INSERT INTO authcore.hash_costs SELECT '$y$j75$', \(isCheap ? 1 : 0)
    """
}
