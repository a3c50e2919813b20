import Glibc

/// How long `auth-cli token` and `oidc-token` take; both are logged in at the same provider.
func tokens() throws -> [Benchmark] {
  let clients = try TokenClients()
  let token = clients.command("token")
  let status = Program(path: token.path, arguments: ["status"], environment: try Home().environment)
  let expired = "16 processes with an expired token, until all have the new one"
  var most = 0
  func expiry(of processes: Int) throws -> Double {
    try clients.expire("auth-cli")
    let before = try clients.requests()
    let time = try together(processes, token)
    most = max(most, try clients.requests() - before)
    return time
  }
  return [
    Benchmark(
      "auth-cli token, valid", .milliseconds, .atMost(1.5), samples: 300, against: "oidc-token", token.time,
      baseline: { try clients.oidcToken().time() }),
    Benchmark(
      "auth-cli token, valid", .milliseconds, .atMost(1.2), samples: 300, against: "auth-cli status, embedded",
      token.time, baseline: status.time),
    Benchmark("requests for a valid token", .count, .limit(0), samples: 5) {
      let before = try clients.requests()
      try token.run()
      return Double(try clients.requests() - before)
    },
    Benchmark(expired + ", longer than one process by", .milliseconds, .limit(100), samples: 9) {
      let one = try expiry(of: 1)
      return try expiry(of: 16) - one
    },
    Benchmark(
      expired, .milliseconds, .atMost(1.5), samples: 9, against: "16 of oidc-token", { try expiry(of: 16) },
      baseline: {
        let program = try clients.oidcToken()
        try clients.expire("oidc-agent")
        return try together(16, program)
      }),
    Benchmark("most requests of an expiry", .count, .limit(1), samples: 1) { Double(most) },
  ]
}

/// Runs the program so often at the same moment.
///
/// - Returns: The milliseconds until all have ended.
private func together(_ count: Int, _ program: Program) throws -> Double {
  try ContinuousClock().measure {
    let processes = try (0..<count).map { _ in try program.start() }
    var statuses: [Int32] = []
    for process in processes {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      statuses.append(status)
    }
    for status in statuses { try program.check(status) }
  }.milliseconds
}

/// Coding agents that share a login at an MCP server, beside the login of the Python SDK.
func agents(quick: Bool) throws -> [Benchmark] {
  let script = try ProviderScript(at: "fastmcp", home: Homes.make())
  let rounds = quick ? 2 : 10
  let run = try script.program(
    "agents.py", "--rounds", "\(rounds)", "--kills", "0", Program.built("auth-cli"))
  let lines = try run.output().split(separator: "\n")
  /// Clients, expiries, failed calls, requests, refused requests, lost logins.
  func figures(_ clients: String) throws -> [Double] {
    let line = lines.first { $0.hasPrefix("8 \(clients), ") } ?? ""
    let numbers = line.split { !$0.isNumber }.compactMap { Double($0) }
    guard numbers.count == 6 else { throw Failure(reason: "agents.py printed \(lines)") }
    return numbers
  }
  let (ours, theirs) = (try figures("bridges"), try figures("clients of the SDK"))
  func row(_ name: String, _ place: Int) -> Benchmark {
    Benchmark(
      "8 agents by auth-cli mcp, \(rounds) expiries, \(name) (by the SDK's own login: \(Int(theirs[place])))", .count,
      .limit(0), samples: 1
    ) { ours[place] }
  }
  return [row("failed calls of \(8 * rounds)", 2), row("lost logins", 5)]
}
