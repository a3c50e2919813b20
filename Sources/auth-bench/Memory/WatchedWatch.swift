import AuthSQLite
import Glibc

/// A running `auth-cli watch`, and somebody who renames its user without end.
final class WatchedWatch {
  private let process: pid_t
  private let output: String
  /// Kept, so that it is not removed under the watch.
  private let directory: BenchDirectory
  private let database: BenchDatabase
  private var renamed = 0

  init(_ home: BenchHome, _ directory: BenchDirectory) throws {
    self.directory = directory
    output = directory.file("watched")
    database = try BenchDatabase(path: home.database)
    // Durability is not what is measured: changes shall come as fast as they can be read.
    try database.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
    var watch = home.command("watch", "--json")
    watch.output = output
    process = try watch.start()
    try waitForQuiet(atLeast: 1)
  }

  deinit {
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
  }

  /// How many lines it wrote.
  func lines() throws -> Double { Double(try BenchFile.read(output).utf8.count { $0 == UInt8(ascii: "\n") }) }

  func resident(after changes: Int) throws -> Double {
    try rename(changes)
    return try Resident.of(process)
  }

  func growth(over changes: Int) throws -> Double {
    let before = try Resident.of(process)
    try rename(changes)
    return try Resident.of(process) - before
  }

  private func rename(_ times: Int) throws {
    for _ in 0..<times {
      renamed += 1
      try database.execute("UPDATE accounts SET display_name = 'Alice \(renamed)' WHERE id = 1")
    }
    try waitForQuiet(atLeast: 2)
  }

  /// Until it has written that much, and then nothing for a while.
  private func waitForQuiet(atLeast least: Double) throws {
    var last = -1.0
    for _ in 0..<300 {
      usleep(100_000)
      let now = access(output, R_OK) == 0 ? try lines() : 0
      if now >= least, now == last { return }
      last = now
    }
    throw BenchError("'auth-cli watch' does not tell of changes")
  }
}
