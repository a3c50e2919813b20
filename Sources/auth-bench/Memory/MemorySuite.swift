import AuthCore
import AuthLocal
import Glibc

extension Suite {
  /// What stays small however long a process runs.
  static let memory = Suite(
    name: "memory", summary: "what grows, and what does not", isDear: true, rounds: { _ in 1 },
    benchmarks: { options in
      let changes = options.isQuick ? 5000 : 100_000
      let directory = try BenchDirectory()
      let home = try BenchHome("home", in: directory, cost: .least)
      try home.cheapLogin().run()
      let watch = try WatchedWatch(home, directory)
      return [
        Benchmark("watch: resident after the first 2,000 changes", .bytes, goal: .atMost(16 * 1_048_576)) {
          require("watch") { try watch.resident(after: 2000) }
        },
        Benchmark("watch: growth over \(changes) more", .bytes, goal: .atMost(262_144)) {
          require("watch") { try watch.growth(over: changes) }
        },
        Benchmark("watch: changes it told of", .count) { require("watch") { try watch.lines() } },
      ] + runOnceMemory
    })
}

private final class Visited: RunsOnce {}

/// RunOnce keeps records of the living: what a crowd leaves behind is used again.
private var runOnceMemory: [Benchmark] {
  let living = 100_000
  var alive: [Visited] = []
  return [
    Benchmark("RunOnce: \(living) living objects with a record each", .bytes) {
      let before = Resident.own
      alive = (0..<living).map { _ in Visited() }
      for object in alive { object.runOnce { keep(1) } }
      return Resident.own - before
    },
    Benchmark(
      "RunOnce: growth over 1,000,000 that come and go", .bytes,
      against: "RunOnce: \(living) living objects with a record each", goal: .ratio(1)
    ) {
      let before = Resident.own
      for _ in 0..<1_000_000 { Visited().runOnce { keep(1) } }
      let growth = Resident.own - before
      keep(alive)
      return max(growth, 0)
    },
  ]
}
