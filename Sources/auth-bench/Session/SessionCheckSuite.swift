import AuthBackend
import AuthCore
import AuthSQLite
import CSQLite

extension Suite {
  /// The embedded authority inside a process that stays: session checks, beside SQLite alone.
  static let sessionChecks = Suite(
    name: "checks", summary: "session checks in one process, 1,000 a round",
    benchmarks: { _ in
      let directory = try BenchDirectory()
      let home = try BenchHome("home", in: directory, cost: .least)
      let authority = LocalAuthority(directory: home.path, cost: .least)
      let grant = try authority.logIn(
        Credentials(username: "alice", password: Password(BenchHome.password)), limits: .standard)
      let raw = try BenchDatabase(path: home.database)
      let begin = try raw.prepare("BEGIN")
      let row = try raw.prepare(
        "SELECT s.*, a.* FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.account = 1 LIMIT 1")
      let commit = try raw.prepare("COMMIT")
      return [
        Benchmark("raw SQLite: one row in a transaction", .perSecond) {
          perSecond {
            for _ in 0..<count {
              for statement in [begin, row, commit] {
                sqlite3_step(statement)
                sqlite3_reset(statement)
              }
            }
            withExtendedLifetime((raw, home)) {}
          }
        },
        Benchmark("session check", .perSecond, against: "raw SQLite: one row in a transaction") {
          perSecond {
            let work = Task.immediate {
              for _ in 0..<count { await check(grant.token, at: authority) }
            }
            keep(work)
          }
        },
      ]
    })
}

private let count = 1000

private func perSecond(_ work: () -> Void) -> Double {
  Double(count) / ContinuousClock().measure(work).nanoseconds * 1e9
}

private func check(_ token: SessionToken, at authority: LocalAuthority) async {
  do {
    keep(try await authority.resume(token))
  } catch {
    require("a session check") { throw BenchError("\(error)") }
  }
}
