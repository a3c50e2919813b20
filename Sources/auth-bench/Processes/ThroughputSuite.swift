import AuthBackend
import AuthSQLite
import Glibc

extension Suite {
  /// Sixteen processes at a time that pay, each start to end, beside as many bare ones.
  static let throughput = Suite(
    name: "throughput", summary: "16 processes paying at once, each start to end",
    rounds: { $0.isQuick ? 3 : 9 },
    benchmarks: { _ in
      let directory = try BenchDirectory()
      let bare = try BenchTools.bare(in: directory)
      let ours = try BenchHome("ours", in: directory, cost: .least)
      let theirs = try BenchHome("theirs", in: directory, cost: .least)
      try ours.cheapLogin().run()
      let before = try receipts(in: ours)
      var made: Int64 = 0
      return [
        Benchmark("bare pay, 16 at once", .perSecond) {
          paying(ChildProcess(path: bare, arguments: ["pay", theirs.database, "1", "2"]))
        },
        Benchmark("auth-cli pay, 16 at once", .perSecond, against: "bare pay, 16 at once", goal: .ratioAtLeast(1)) {
          made += Int64(payments)
          return paying(ours.command("pay", "0.01", "--to", "bob"))
        },
        Benchmark("receipts missing after that", .count, goal: .atMost(0)) {
          require("receipts") { Double(try before + made - receipts(in: ours)) }
        },
        Benchmark("what the entries add up to", .count, goal: .atMost(0)) {
          require("entries") { Double(try ours.sql { try $0.number("SELECT abs(sum(amount)) FROM entries") }) }
        },
      ]
    })
}

private let atOnce = 16
let payments = 16 * 12

private func receipts(in home: BenchHome) throws -> Int64 {
  try home.sql { try $0.number("SELECT count(*) FROM transfers") }
}

/// Runs `program` so often that all payments are made, sixteen at a time.
///
/// - Returns: Payments per second.
func paying(_ program: ChildProcess) -> Double {
  let elapsed = ContinuousClock().measure {
    require("payments") {
      for started in 0..<payments {
        if started >= atOnce { try waitForOne() }
        _ = try program.start()
      }
      for _ in 0..<atOnce { try waitForOne() }
    }
  }
  return Double(payments) / elapsed.nanoseconds * 1e9
}

private func waitForOne() throws {
  var status: Int32 = 0
  guard wait(&status) > 0 else { throw BenchError.system("wait") }
  try ChildProcess.check(status)
}
