/// Whether the time of a refusal tells an account from none: whole processes with the shipped hash, and
/// a name that was never tried before each time.
func refusals(quick: Bool) throws -> [Benchmark] {
  let samples = 100
  let home = try Home(isCheap: false)
  try home.command("logout").run()
  try home.sql(
    """
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n <= \(samples)),
      kinds(kind, disabled) AS (VALUES ('wrong', 0), ('disabled', 1), ('lost', 0))
    INSERT INTO accounts(name, display_name, role, password_hash, disabled, created_at)
    SELECT kind || n, kind || n, 'member', (SELECT password_hash FROM accounts WHERE id = 1), disabled, 0
    FROM c CROSS JOIN kinds;
    """)
  func refused(_ command: String, _ kind: String, line: String) -> () throws -> Double {
    var next = 0
    return {
      next += 1
      var program = home.withPassword(home.shipped, command, "\(kind)\(next)", lines: line)
      if kind == "wrong", command == "login" { program.input = "not the password of anybody\n" }
      program.expected = 5
      return try program.time()
    }
  }
  let code = String(repeating: "2", count: 25) + "\n"
  return [("login", "wrong", ""), ("login", "disabled", ""), ("recover", "lost", code)].map { command, kind, line in
    Benchmark(
      "\(command): \(kind)", .milliseconds, .within(1.05), samples: samples, against: "an unknown name",
      refused(command, kind, line: line), baseline: refused(command, "nobody", line: line))
  }
}
