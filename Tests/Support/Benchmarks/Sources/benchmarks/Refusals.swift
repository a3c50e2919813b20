/// Whether the time of a refusal tells an account from none: whole processes with the shipped hash,
/// and a name that was never tried before each time.
func refusals(quick: Bool) throws -> [Benchmark] {
  let samples = 100
  let home = try Home(isCheap: false)
  try home.command("logout").run()
  try home.sql(refusedAccounts(samples))
  return refusals("", samples) { words, lines in home.withPassword(home.shipped, words, lines: lines) }
}

/// The same by the service.
func refusalsByTheService(quick: Bool) throws -> [Benchmark] {
  let samples = 100
  let embedded = try Service(isCheap: false) { home in try home.sql(refusedAccounts(samples)) }
  try embedded.command("logout").run()
  let sqlite = refusals("by the service, ", samples) { embedded.withPassword($0, lines: $1) }
  let server = try Server.withAccounts(isCheap: false)
  try server.run("SET search_path = auth;" + refusedAccounts(samples, secret: "'\\x00'::bytea"), database: "accounts")
  let shared = try Service(postgres: server, isCheap: false)
  try shared.command("logout").run()
  return sqlite + refusals("by the service on PostgreSQL, ", samples) { shared.withPassword($0, lines: $1) }
}

/// Makes an account for each sample and kind, with the password of the first one.
private func refusedAccounts(_ samples: Int, secret: String = "X'00'") -> String {
  """
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n <= \(samples)),
    kinds(kind, disabled) AS (VALUES ('wrong', 0), ('disabled', 1), ('lost', 0), ('first', 0), ('step', 0))
  INSERT INTO accounts(name, display_name, role, password_hash, disabled, created_at)
  SELECT kind || n, kind || n, 'member', (SELECT password_hash FROM accounts WHERE name = 'alice'), disabled, 0
  FROM c CROSS JOIN kinds;
  INSERT INTO two_steps SELECT id, \(secret), 1, 0 FROM accounts WHERE name LIKE 'first%' OR name LIKE 'step%';
  """
}

/// The kinds of refusals, each beside an unknown name.
private func refusals(
  _ place: String, _ samples: Int, _ make: @escaping (_ words: [String], _ lines: String) -> Program
) -> [Benchmark] {
  func refused(_ command: String, _ kind: String, line: String) -> () throws -> Double {
    var next = 0
    return {
      next += 1
      var program = make([command, "\(kind)\(next)"], line)
      if ["wrong", "first"].contains(kind) { program.input = "not the password of anybody\n" }
      // A right first step asks for a code, which it does not get.
      program.expected = kind == "step" ? nil : 5
      return try program.time()
    }
  }
  let code = String(repeating: "2", count: 25) + "\n"
  return [
    ("wrong password", "login", "wrong", ""), ("disabled account", "login", "disabled", ""),
    ("wrong first step", "login", "first", ""), ("right first step", "login", "step", ""),
    ("recover", "recover", "lost", code),
  ].map { name, command, kind, line in
    Benchmark(
      place + name, .milliseconds, .within(1.05), samples: samples, against: "an unknown name",
      refused(command, kind, line: line), baseline: refused(command, "nobody-\(kind)", line: line))
  }
}
