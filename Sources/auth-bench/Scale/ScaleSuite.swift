import AuthBackend
import AuthSQLite

extension Suite {
  /// The same commands in a small and in a large database.
  static let scale = Suite(
    name: "scale", summary: "whole processes, by the number of accounts, sessions, receipts and events", isDear: true,
    rounds: { $0.isQuick ? 10 : $0.rounds * 6 },
    benchmarks: { options in
      let directory = try BenchDirectory()
      let sizes = options.isQuick ? [10, 1000, 20_000] : [10, 1000, 100_000, 1_000_000]
      let homes = try sizes.map { size in
        let home = try BenchHome("\(size)", in: directory, cost: .least)
        if options.isTalkative { say("scale: filling \(size)\n") }
        try Population(count: size).fill(home)
        try home.cheapLogin().run()
        return (size: size, home: home)
      }
      return operations.flatMap { operation in
        homes.map { size, home in
          let isSmallest = size == sizes[0]
          return Benchmark(
            "\(operation.name), \(size)", against: isSmallest ? nil : "\(operation.name), \(sizes[0])",
            goal: isSmallest ? nil : .ratio(1.2), prepare: { operation.prepare(home) }
          ) { run(operation.program(home)) }
        }
      }
    })
}

private struct Operation {
  let name: String
  /// Also lets every size begin alike: the run before it may have waited for the disk.
  var prepare: (BenchHome) -> Void = { run($0.command("status")) }
  let program: (BenchHome) -> ChildProcess
}

// The pages are so short that the smallest database fills them.
private var operations: [Operation] {
  [
    Operation(name: "status") { $0.command("status") },
    Operation(name: "pay") { $0.command("pay", "0.01", "--to", "bob") },
    Operation(name: "receipts, first page") { $0.command("receipts", "--limit", "5") },
    Operation(name: "accounts list, first page") { $0.command("accounts", "list", "--limit", "10") },
    Operation(name: "events, last page") { $0.command("events", "--limit", "10") },
    Operation(
      name: "login at least hash", prepare: { for word in ["logout", "--version"] { run($0.command(word)) } },
      program: { $0.cheapLogin() }),
  ]
}
