import AuthBackend
import AuthCore
import Foundation
import PostgresServers
import Programs
import Testing

@testable import AuthService

/// Whether servers can be started, and the service was built with libpq.
private let hasPostgres: Bool = {
  #if canImport(AuthPostgres)
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.contains { access("/usr/lib/postgresql/\($0)/bin/initdb", X_OK) == 0 }
  #else
    return false
  #endif
}()

@Suite("The service on PostgreSQL", .serialized, .enabled(if: hasPostgres, "postgresql is not installed"))
struct PostgresServiceTests {
  private final class Site {
    let server: ThrowawayServer
    let folder: String
    var address: String { "host=\(server.directory) user=postgres dbname=accounts" }

    init() throws {
      server = try ThrowawayServer()
      folder = NSTemporaryDirectory() + "site-\(UInt32.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
      symlink(RunningService.executable, folder + "/bin/auth-service")
      try (address + "\n").write(toFile: folder + "/postgres", atomically: false, encoding: .utf8)
    }

    deinit {
      server.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }

    func run(_ script: String) async throws -> ProgramOutcome {
      try await Program(
        "bash", ["-eu", "-c", script],
        environment: [
          "PATH": "\(folder)/bin:/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
          "PGHOST": server.directory, "PGUSER": "postgres", "HOME": folder,
        ], timeLimit: .seconds(120)
      ).run()
    }

    /// Creates the database with the administrator alice.
    func install() async throws {
      let outcome = try await run(
        """
        createdb accounts
        echo '\(RunningService.password)' |
          auth-service schema install --postgres-file \(folder)/postgres --first-administrator alice --password-stdin
        """)
      try #require(outcome.ending == .exited(0), "\(outcome.text)")
    }
  }

  @Test("two services share a database, and what one pays tells the subscriber of the other")
  func two() async throws {
    let site = try Site()
    try await site.install()
    let (first, second) = (try RunningService(postgres: site.address), try RunningService(postgres: site.address))
    let (one, other) = (try first.client(), try second.client())
    #expect(one.hello?.database == other.hello?.database)
    let token = try one.logIn("alice")
    guard case .user(let bob) = try await registered("bob", one, token) else {
      Issue.record("bob is not registered")
      return
    }
    #expect(bob.role == .member)
    let bobs = try other.logIn("bob")
    try other.send(.subscribe(100, bobs))
    guard case .answer(100, _, .done) = try other.next() else {
      Issue.record("not subscribed")
      return
    }
    _ = try one.ask(.pay(PaymentOrder(amount: try Amount("1"), payee: try Username("bob"), key: nil), token))
    guard case .lookAgain = try other.next() else {
      Issue.record("not told")
      return
    }
  }

  private func registered(_ name: String, _ client: ServiceClient, _ token: SessionToken) async throws -> BackendAnswer
  {
    _ = try client.ask(.setRegistration(.open, token))
    return try client.ask(.register(username: name, Password(RunningService.password), displayName: nil))
  }

  @Test("a password in the address is refused, and a database without tables is not served")
  func refused() async throws {
    let site = try Site()
    let secret = try await site.run(
      "echo 'postgresql://u:secret@localhost/x' >\(site.folder)/f; auth-service run --postgres-file \(site.folder)/f --socket \(site.folder)/s"
    )
    #expect(secret.ending == .exited(2) && !secret.text.contains("secret"), "\(secret.text)")
    let empty = try await site.run(
      "createdb accounts; auth-service run --postgres-file \(site.folder)/postgres --socket \(site.folder)/s")
    #expect(empty.ending == .exited(3), "\(empty.text)")
    #expect(access(site.folder + "/s", F_OK) != 0)
  }

  @Test("the article's commands for PostgreSQL run, from an SQLite database to its import")
  func article() async throws {
    let site = try Site()
    let path = "Sources/AuthCore/AuthCore.docc/RunningService.md"
    let blocks = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "```postgres\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    try #require(blocks.count == 3)
    let script = blocks.joined().replacing("/etc/auth-service/postgres", with: site.folder + "/postgres")
      .replacing("/var/lib/auth-service", with: site.folder + "/data")
      .replacing("postgresql:///accounts", with: site.address)
    let outcome = try await site.run(
      """
      createdb accounts
      echo 'marble kettle window harvest' |
        auth-service schema install --database \(site.folder)/data --first-administrator zoe --password-stdin
      """ + "\n" + script)
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    for text in ["Imported 1 accounts", "The tables are removed.", "The database has this version."] {
      #expect(outcome.text.contains(text), "\(text): \(outcome.text)")
    }
  }
}
