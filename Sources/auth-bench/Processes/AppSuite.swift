import Glibc

extension Suite {
  /// The full-screen program on a pseudo-terminal.
  static let app = Suite(
    name: "app", summary: "the full-screen program, from keys to frames", rounds: { $0.rounds * 2 },
    benchmarks: { options in
      let directory = try BenchDirectory()
      let home = try BenchHome("home", in: directory)
      try home.cheapLogin().run()
      let open = home.command("app")
      let running = try BenchTerminal(open)
      // Until the session is found out about, which is drawn too.
      _ = try running.listen(milliseconds: 1_000)
      let quiet: Int32 = options.isQuick ? 1_000 : 10_000
      var opened: BenchTerminal?
      var key = "j"
      func step() throws -> Int {
        try running.send(key)
        key = key == "j" ? "k" : "j"
        return try running.frame()
      }
      return [
        // The one before is taken down where no time is taken.
        Benchmark("app: first frame", goal: .nanoseconds(25_000_000), prepare: { opened = nil }) {
          require("app") {
            opened = try BenchTerminal(open)
            try opened?.frame()
          }
        },
        Benchmark("app: key to frame", against: "app: first frame", goal: .ratio(0.2)) {
          require("app") { _ = try step() }
        },
        Benchmark("app: bytes of one step in a list", .bytes, goal: .atMost(200)) {
          require("app") { Double(try step()) }
        },
        Benchmark("app: bytes in \(quiet / 1000) s of idleness", .bytes, goal: .atMost(0)) {
          require("app") { Double(try running.listen(milliseconds: quiet)) }
        },
        Benchmark("app: resident memory", .bytes, goal: .atMost(12 * 1_048_576)) {
          require("app") { try Resident.of(running.process) }
        },
      ]
    })
}
