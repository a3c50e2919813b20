import Foundation
import Glibc

/// The session check of scripts and prompts, on an executable that was just installed.
func status() throws -> [Benchmark] {
  let home = try Home()
  let installed = try install(home.shipped, in: home.path)
  var status = home.command("status")
  status = Program(path: installed, arguments: ["status"], environment: status.environment)
  func against(_ name: String, _ words: [String], _ limit: Double, samples: Int) -> Benchmark {
    let line = ([name] + words).joined(separator: " ")
    return Benchmark("auth-cli status", .milliseconds, .atMost(limit), samples: samples, against: line, status.time) {
      try Program(
        path: Program.installed(name), arguments: words, environment: ["HOME=/nonexistent", "PATH=/usr/bin:/bin"],
        expected: nil
      ).time()
    }
  }
  let version = Program(path: installed, arguments: ["--version"], environment: home.environment)
  return [
    Benchmark(
      "auth-cli status", .milliseconds, .atMost(2.2), samples: 300, against: "auth-cli --version", status.time,
      baseline: version.time),
    against("klist", ["-s"], 2.5, samples: 300), against("gh", ["auth", "status"], 0.05, samples: 60),
    Benchmark("peak memory of status", .mebibytes, .limit(12), samples: 15) {
      var peak = try home.bare("peak", installed, "status")
      peak.environment = home.environment
      return try peak.number() / 1_048_576
    },
  ]
}

/// A copy of the program as `make install` leaves it, which nothing in memory holds.
func install(_ program: String, in directory: String) throws -> String {
  let path = directory + "/auth-cli"
  try FileManager.default.copyItem(atPath: program, toPath: path)
  let file = open(path, O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  // What is not yet on the disk cannot be dropped from memory.
  guard file >= 0, fsync(file) == 0, posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
    throw Failure(reason: "\(path) stays in memory: error \(errno)")
  }
  return path
}

/// The commands that write, beside the same durable steps in C on the same database.
func writes() throws -> [Benchmark] {
  let home = try Home()
  let session = home.path + "/bare.session"
  let log = try home.bare("login", home.database, "1", session)
  let logOut = try home.bare("logout", home.database, session)
  let login = home.withPassword(home.cheap, "login", "alice")
  let hash = try home.bare("hash", home.database, Home.password)
  return [
    Benchmark(
      "auth-cli pay", .milliseconds, .atMost(2.3), samples: 60, against: "the same steps in C",
      home.command("pay", "0.01", "--to", "bob").time, baseline: try home.bare("pay", home.database, "1", "2").time),
    Benchmark(
      "auth-cli logout", .milliseconds, .atMost(2.3), samples: 60, against: "the same steps in C",
      {
        defer { _ = try? login.run() }
        return try home.command("logout").time()
      },
      baseline: {
        try log.run()
        return try logOut.time()
      }),
    // With the cheap hash: from a hash of 0.1 s nothing as short could be told.
    Benchmark(
      "auth-cli login less its hash", .milliseconds, .atMost(2.3), samples: 60, against: "the same steps in C",
      {
        try home.command("logout").run()
        return try login.time() - hash.number()
      },
      baseline: {
        unlink(session)
        return try log.time()
      }),
  ]
}

/// Sixteen processes at a time that pay, each from its start to its end.
func payments() throws -> [Benchmark] {
  let (ours, theirs) = (try Home(), try Home())
  let pay = ours.command("pay", "0.01", "--to", "bob")
  let bare = try theirs.bare("pay", theirs.database, "1", "2")
  let receipts = try ours.bare("number", ours.database, "SELECT count(*) FROM transfers")
  let before = try receipts.number()
  var made = 0
  return [
    Benchmark(
      "auth-cli pay, 16 at once", .perSecond, .atLeast(1), samples: 9, against: "16 bare SQLite processes",
      {
        made += all
        return try paying(pay)
      }, baseline: { try paying(bare) }),
    Benchmark("payments without a receipt", .count, .limit(0), samples: 1) {
      try before + Double(made) - receipts.number()
    },
  ]
}

private let all = 192

/// Runs the program so often, sixteen at a time.
///
/// - Returns: Runs per second.
func paying(_ program: Program) throws -> Double {
  let elapsed = try ContinuousClock().measure {
    for number in 0..<all + 16 {
      if number >= 16 {
        var status: Int32 = 0
        guard wait(&status) > 0 else { throw Failure(reason: "wait: error \(errno)") }
        try program.check(status)
      }
      if number < all { _ = try program.start() }
    }
  }
  return Double(all) / elapsed.nanoseconds * 1e9
}
