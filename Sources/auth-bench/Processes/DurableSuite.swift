import AuthBackend
import AuthSQLite
import CCrypt
import Glibc

extension Suite {
  /// The commands that write, beside the same durable steps in bare C on the same file.
  static let durable = Suite(
    name: "durable", summary: "whole processes that write, on the same file as the bare program",
    rounds: { $0.isQuick ? 10 : $0.rounds * 4 },
    benchmarks: { _ in
      let directory = try BenchDirectory()
      let bare = try BenchTools.bare(in: directory)
      let cheap = try BenchHome("cheap", in: directory, cost: .least)
      let dear = try BenchHome("dear", in: directory)
      try cheap.cheapLogin().run()
      let bareSession = cheap.path + "/bare.session"
      let bareLogin = ChildProcess(path: bare, arguments: ["login", cheap.database, "1", bareSession])
      let bareLogout = ChildProcess(path: bare, arguments: ["logout", cheap.database, bareSession])
      let (cheapHash, dearHash) = (try storedHash(in: cheap), try storedHash(in: dear))
      return [
        Benchmark("bare pay") {
          run(ChildProcess(path: bare, arguments: ["pay", cheap.database, "1", "2"]))
        },
        Benchmark("auth-cli pay", against: "bare pay", goal: .ratio(1.5)) {
          run(cheap.command("pay", "0.01", "--to", "bob"))
        },
        Benchmark("bare logout", prepare: { run(bareLogin) }) { run(bareLogout) },
        Benchmark("auth-cli logout", against: "bare logout", goal: .ratio(1.5)) { run(cheap.command("logout")) },
        Benchmark("bare login", prepare: { unlink(bareSession) }) { run(bareLogin) },
        Benchmark("the least hash alone") { keep(hash(BenchHome.password, cheapHash)) },
        Benchmark("login through the library, least hash") { run(cheap.cheapLogin()) },
        Benchmark(
          "login through the library less the hash", .nanoseconds, against: "bare login", goal: .ratio(1.5),
          from: .difference("login through the library, least hash", less: "the least hash alone")),
        Benchmark("the hash alone") { keep(hash(BenchHome.password, dearHash)) },
        Benchmark("auth-cli login", prepare: { run(dear.command("logout")) }) {
          run(dear.command(withPassword: "login", "alice"))
        },
        // Not judged: the difference of two times this long is too coarse, and the hash empties the
        // caches for what comes after it.
        Benchmark(
          "auth-cli login less the hash", .nanoseconds, against: "bare login",
          from: .difference("auth-cli login", less: "the hash alone")),
      ]
    })
}

private func storedHash(in home: BenchHome) throws -> String {
  try home.sql { try $0.text("SELECT password_hash FROM accounts WHERE id = 1") }
}

/// What libcrypt makes of a password under the setting of a stored hash.
private func hash(_ password: String, _ setting: String) -> Bool {
  let size = MemoryLayout<crypt_data>.size
  let area = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
  defer { area.deallocate() }
  memset(area, 0, size)
  return crypt_rn(password, setting, area, Int32(size)).map { strcmp($0, setting) == 0 } ?? false
}
