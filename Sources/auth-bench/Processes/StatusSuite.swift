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
        Benchmark("auth-cli status", against: "/bin/true", goal: .ratio(2)) { run(home.command("status")) },
        Benchmark(
          "auth-cli status, against bare", .nanoseconds, against: "bare: open, select one row", goal: .ratio(1.5),
          from: .same("auth-cli status")),
      ] + beside("klist", ["-s"], goal: .ratio(1)) + [
        Benchmark("peak memory of status", .bytes, goal: .atMost(8 * 1_048_576)) {
          let peak = ChildProcess(
            path: bare, arguments: ["peak", home.program, "status"], environment: home.environment)
          return require("peak memory") { Double(try peak.read(in: directory).filter { $0 != "\n" }) ?? .nan }
        },
        Benchmark("size of the executable", .bytes, goal: .atMost(12 * 1_048_576)) {
          var status = stat()
          return stat(home.program, &status) == 0 ? Double(status.st_size) : .nan
        },
      ]
    })
}

/// Runs a measured program.
func run(_ program: ChildProcess) {
  require(([program.path] + program.arguments).joined(separator: " ")) { try program.run() }
}
