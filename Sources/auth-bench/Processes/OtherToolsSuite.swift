import Glibc

extension Suite {
  /// The session check beside what larger tools of this kind take for theirs.
  ///
  /// Not in one suite with the other rows of `status`: these take so long, and so much memory, that
  /// whatever comes after them is slower for it.
  static let otherTools = Suite(
    name: "tools", summary: "status beside larger tools that say whether somebody is logged in",
    rounds: { $0.rounds * ($0.isQuick ? 2 : 4) },
    benchmarks: { _ in
      let directory = try BenchDirectory()
      let home = try BenchHome("home", in: directory)
      try home.cheapLogin().run()
      // What ran before has emptied the caches of the processor.
      return [
        Benchmark("auth-cli status", prepare: { run(home.command("status")) }) { run(home.command("status")) }
      ]
        + beside("gh", ["auth", "status"], goal: .ratio(1 / 25)) + beside("sudo", ["-n", "-v"], goal: nil)
    })
}

/// Rows for another tool that says whether somebody is logged in, if it is installed.
///
/// Its answer does not matter.
func beside(_ name: String, _ arguments: [String], goal: Goal?) -> [Benchmark] {
  let words = ([name] + arguments).joined(separator: " ")
  guard let path = BenchTools.installed(name) else {
    return [.skipped("auth-cli status, against \(words)", because: "\(name) is not installed")]
  }
  return [
    Benchmark(words) {
      let tool = ChildProcess(
        path: path, arguments: arguments, environment: ["HOME=/nonexistent", "PATH=/usr/bin:/bin"],
        errors: "/dev/null")
      require(words) {
        var status: Int32 = 0
        _ = waitpid(try tool.start(), &status, 0)
      }
    },
    Benchmark(
      "auth-cli status, against \(words)", .nanoseconds, against: words, goal: goal, from: .same("auth-cli status")),
  ]
}
