import Glibc

extension Suite {
  /// The full-screen program on a pseudo-terminal.
  static let app = Suite(
    name: "app", summary: "the full-screen program, from keys to frames", rounds: { $0.rounds * 2 },
    benchmarks: { options in
      let directory = try BenchDirectory()
      let home = try BenchHome("home", in: directory)
      // More than a list loads.
      try home.sql { database in
        let payments = (0..<1000).map { "(1, 2, 1, \($0))" }.joined(separator: ", ")
        try database.execute(
          """
          INSERT INTO transfers(payer, payee, amount, made_at) VALUES \(payments);
          INSERT INTO entries SELECT 1, id, -1 FROM transfers WHERE payer = 1;
          INSERT INTO entries SELECT 2, id, 1 FROM transfers WHERE payer = 1
          """)
      }
      try home.cheapLogin().run()
      let running = try RunningApp(home)
      let quiet: Int32 = options.isQuick ? 1_000 : 10_000
      var opened: BenchTerminal?
      return [
        // The one before is taken down where no time is taken.
        Benchmark("app: first frame", goal: .nanoseconds(25_000_000), prepare: { opened = nil }) {
          require("app") {
            opened = try BenchTerminal(home.command("app"))
            try opened?.frame()
          }
        },
        Benchmark("app: frame that shows the user", prepare: { opened = nil }) {
          require("app") {
            opened = try BenchTerminal(home.command("app"))
            try opened?.read(upTo: "Welcome,")
            try opened?.frame()
          }
        },
        Benchmark("app: key to frame", against: "app: first frame", goal: .ratio(0.2), prepare: running.settle) {
          require("app") { _ = try running.step() }
        },
        Benchmark(
          "app: another process's change to frame", goal: .nanoseconds(50_000_000), prepare: running.settle,
          running.change),
        Benchmark("app: bytes of one step in a list", .bytes, goal: .atMost(200)) {
          running.settle()
          return require("app") { Double(try running.step()) }
        },
        Benchmark("app: bytes in \(quiet / 1000) s of idleness", .bytes, goal: .atMost(0)) {
          running.settle()
          return require("app") { Double(try running.terminal.listen(milliseconds: quiet)) }
        },
        Benchmark("app: peak memory", .bytes, goal: .atMost(12 * 1_048_576)) {
          require("app") { try Resident.peak(of: running.terminal.process) }
        },
      ] + (try besideTig(directory))
    })
}

/// The full-screen program with a long list open.
private final class RunningApp {
  let terminal: BenchTerminal
  /// Kept, so that it is not removed under the program.
  private let home: BenchHome
  private let database: BenchDatabase
  private var key = "j"
  private var changes = 0

  init(_ home: BenchHome) throws {
    self.home = home
    database = try BenchDatabase(path: home.database)
    terminal = try BenchTerminal(home.command("app"))
    try terminal.read(upTo: "Welcome,")
    try terminal.send("3")
    try terminal.read(upTo: "RECEIPT")
    settle()
  }

  /// Waits until nothing is drawn any more.
  func settle() {
    require("app") { while try terminal.listen(milliseconds: 60) > 0 {} }
  }

  /// Goes one row down or up, and returns how many bytes that drew.
  func step() throws -> Int {
    try terminal.send(key)
    key = key == "j" ? "k" : "j"
    return try terminal.frame()
  }

  /// Gives the user money from outside, and waits until the balance shows.
  func change() {
    require("app") {
      changes += 1
      try database.execute("UPDATE ledger_accounts SET balance = balance + 100 WHERE id = 1")
      try terminal.frame()
    }
  }
}

/// Rows for tig, another full-screen program that shows a list, if it is installed.
private func besideTig(_ directory: BenchDirectory) throws -> [Benchmark] {
  let name = "app: first frame, against tig"
  guard let tig = BenchTools.installed("tig"), let git = BenchTools.installed("git") else {
    return [.skipped(name, because: "tig or git is not installed")]
  }
  let repository = try directory.directory("repository")
  func runGit(_ words: String...) throws {
    let identity = ["-c", "user.name=alice", "-c", "user.email=alice@example.org"]
    try ChildProcess(path: git, arguments: ["-C", repository] + identity + words, environment: ["HOME=" + repository])
      .run()
  }
  try runGit("init", "--quiet")
  for number in 1...30 { try runGit("commit", "--quiet", "--allow-empty", "-m", "number\(number)") }
  let program = ChildProcess(
    path: tig, arguments: ["-C", repository], environment: ["HOME=" + repository, "PATH=/usr/bin:/bin"])
  var opened: BenchTerminal?
  return [
    Benchmark("tig: first frame", prepare: { opened = nil }) {
      require("tig") {
        opened = try BenchTerminal(program)
        try opened?.read(upTo: "number30")
      }
    },
    Benchmark(name, .nanoseconds, against: "tig: first frame", goal: .ratio(0.5), from: .same("app: first frame")),
    Benchmark(
      "app: frame that shows the user, against tig", .nanoseconds, against: "tig: first frame", goal: .ratio(0.5),
      from: .same("app: frame that shows the user")),
  ]
}
