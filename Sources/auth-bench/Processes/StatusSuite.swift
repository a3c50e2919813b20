import Glibc

extension Suite {
  /// The session check that scripts and prompts run, beside what starting a process costs at all.
  static let status = Suite(
    name: "status", summary: "whole processes, from spawning to their end",
    rounds: { $0.rounds * ($0.isQuick ? 10 : 20) },
    benchmarks: { _ in
      let directory = try BenchDirectory()
      let bare = try BenchTools.bare(in: directory)
      let home = try BenchHome("home", in: directory)
      try home.cheapLogin().run()
      try home.command("status").run()
      return [
        Benchmark("/bin/true") { run(ChildProcess(path: "/bin/true", arguments: [])) },
        Benchmark("bare: open, select one row", against: "/bin/true") {
          run(ChildProcess(path: bare, arguments: ["read", home.database]))
        },
        Benchmark("auth-cli --version", against: "/bin/true") { run(home.command("--version")) },
        Benchmark("auth-cli status", against: "/bin/true", goal: .ratio(2.3)) { run(home.command("status")) },
        Benchmark(
          "auth-cli status, against bare", .nanoseconds, against: "bare: open, select one row", goal: .ratio(1.5),
          from: .same("auth-cli status")),
        Benchmark("auth-cli status --short, for a prompt", against: "auth-cli status", goal: .ratio(1)) {
          run(home.command("status", "--short"))
        },
      ] + beside("klist", ["-s"], goal: .ratio(1.1)) + withoutApp(home) + [
        Benchmark("peak memory of status", .bytes, goal: .atMost(8 * 1_048_576)) {
          let peak = ChildProcess(
            path: bare, arguments: ["peak", home.program, "status"], environment: home.environment)
          return require("peak memory") { Double(try peak.read(in: directory).filter { $0 != "\n" }) ?? .nan }
        },
        Benchmark("auth-login-only: a product that imports AuthCore and logs in", against: "/bin/true") {
          run(ChildProcess(path: BenchTools.directory + "/auth-login-only", arguments: []))
        },
        Benchmark("size of auth-login-only", .bytes) {
          var status = stat()
          return stat(BenchTools.directory + "/auth-login-only", &status) == 0 ? Double(status.st_size) : .nan
        },
        Benchmark("size of the executable", .bytes, goal: .atMost(12 * 1_048_576)) {
          var status = stat()
          return stat(home.program, &status) == 0 ? Double(status.st_size) : .nan
        },
      ]
    })
}

/// Rows that say what the full-screen program costs those who never open it.
private func withoutApp(_ home: BenchHome) -> [Benchmark] {
  let path = BenchTools.directory + "/../../without-app/.build/release/auth-cli"
  guard access(path, X_OK) == 0 else {
    return [
      .skipped("without the full-screen program", because: "it is not built; 'make release-without-app' builds it")
    ]
  }
  let status = ChildProcess(path: path, arguments: ["status"], environment: home.environment)
  func size(_ path: String) -> Double {
    var status = stat()
    return stat(path, &status) == 0 ? Double(status.st_size) : .nan
  }
  return [
    Benchmark("auth-cli status, without the full-screen program") { run(status) },
    Benchmark(
      "auth-cli status, with it", .nanoseconds, against: "auth-cli status, without the full-screen program",
      goal: .ratio(1.02), from: .same("auth-cli status")),
    Benchmark("executable without the full-screen program", .bytes) { size(path) },
    Benchmark("executable with it", .bytes) { size(home.program) },
    Benchmark(
      "what the full-screen program adds", .bytes, goal: .atMost(150 * 1024),
      from: .difference("executable with it", less: "executable without the full-screen program")),
  ]
}

/// Runs a measured program.
func run(_ program: ChildProcess) {
  require(([program.path] + program.arguments).joined(separator: " ")) { try program.run() }
}
