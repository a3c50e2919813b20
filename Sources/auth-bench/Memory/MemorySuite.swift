import AuthBackend
import AuthCore
import AuthSQLite
import Glibc
import Guards

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
      let runOnce = try RunOnceMemory.measure(in: directory)
      return [
        Benchmark("watch: resident after the first 2,000 changes", .bytes, goal: .atMost(16 * 1_048_576)) {
          require("watch") { try watch.resident(after: 2000) }
        },
        Benchmark("watch: growth over \(changes) more", .bytes, goal: .atMost(262_144)) {
          require("watch") { try watch.growth(over: changes) }
        },
        Benchmark("watch: changes it told of", .count) { require("watch") { try watch.lines() } },
        Benchmark("RunOnce: \(RunOnceMemory.living) living objects with a record each", .bytes) { runOnce.living },
        Benchmark(
          "RunOnce: growth over \(RunOnceMemory.passing) that come and go", .bytes,
          against: "RunOnce: \(RunOnceMemory.living) living objects with a record each", goal: .ratio(1)
        ) { runOnce.passing },
      ]
    })
}

/// The memory of a process that is in use now, in bytes.
enum Resident {
  static var own: Double { require("statm") { try of(getpid()) } }

  static func of(_ process: pid_t) throws -> Double {
    let fields = try BenchFile.read("/proc/\(process)/statm").split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { throw BenchError("/proc/\(process)/statm") }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }
  /// The most that was in use so far.
  static func peak(of process: pid_t) throws -> Double {
    let lines = try BenchFile.read("/proc/\(process)/status").split(separator: "\n")
    let words = lines.first { $0.hasPrefix("VmHWM:") }?.split { $0 == " " || $0 == "\t" } ?? []
    guard words.count > 1, let kilobytes = Double(words[1]) else { throw BenchError("/proc/\(process)/status") }
    return kilobytes * 1024
  }
}
