import AuthBackend
import AuthCore
import Foundation
import PostgresServers
import Programs
import Testing

@testable import AuthService

@Suite(
  "The service on PostgreSQL", .serialized, .enabled(if: RunningService.hasPostgres, "postgresql is not installed"))
struct PostgresServiceTests {
  /// The server of these tests, which run one after the other, without the database of the test
  /// before.
  private final class Site {
    private static let started = Result { try ThrowawayServer() }
    let server: ThrowawayServer
    let folder: String
    var address: String { server.address("accounts") }

    init() async throws {
      server = try Self.started.get()
      folder = NSTemporaryDirectory() + "site-\(UInt32.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
      symlink(RunningService.executable, folder + "/bin/auth-service")
      try (address + "\n").write(toFile: folder + "/postgres", atomically: false, encoding: .utf8)
      let dropped = try await run("dropdb --if-exists --force accounts; dropuser --if-exists auth-cli")
      try #require(dropped.ending == .exited(0), "\(dropped.text)")
    }

    deinit {
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
    let site = try await Site()
    try await site.install()
    let (first, second) = (try RunningService(postgres: site.address), try RunningService(postgres: site.address))
    let (one, other) = (try first.client(), try second.client())
    #expect(one.hello?.database == other.hello?.database)
    let token = try one.logIn("alice")
    _ = try one.ask(.setRegistration(.open, token))
    _ = try one.ask(.register(username: "bob", Secret(RunningService.password), displayName: nil))
    let bobs = try other.logIn("bob")
    try other.send(.subscribe(100, bobs))
    _ = try other.answer(100)
    _ = try one.ask(.pay(PaymentOrder(amount: try Amount("1"), payee: try Username("bob"), key: nil), token))
    try #require(try other.isToldToLook(), "not told")
  }

  @Test("the tables of a running service are not removed, and its sessions do not end as after a restore")
  func inUse() async throws {
    let site = try await Site()
    try await site.install()
    let service = try RunningService(postgres: site.address)
    let remove = "auth-service schema remove --postgres-file \(site.folder)/postgres --confirm accounts"
    let refused = try await site.run(remove)
    #expect(refused.ending == .exited(3) && refused.text.contains("is in use by another process"), "\(refused.text)")
    let client = try service.client()
    let token = try client.logIn("alice")
    let restore = "auth-service after-restore --postgres-file \(site.folder)/postgres"
    let running = try await site.run(restore)
    #expect(running.ending == .exited(3) && running.text.contains("is in use by another process"), "\(running.text)")
    #expect(try client.lookUp(token) != nil)
    service.end()
    let restored = try await site.run(restore)
    #expect(restored.ending == .exited(0) && restored.text.contains("Sessions ended: 1."), "\(restored.text)")
    let removed = try await site.run(remove)
    #expect(removed.text.contains("The tables are removed."), "\(removed.text)")
    let check = try await site.run("auth-service schema check --postgres-file \(site.folder)/postgres")
    #expect(check.ending == .exited(3) && check.text.contains("schema install --first-administrator"), "\(check.text)")
  }

  @Test("a password in the address is refused, and a database without tables is not served")
  func refused() async throws {
    let site = try await Site()
    let secret = try await site.run(
      "echo 'postgresql://u:secret@localhost/x' >\(site.folder)/f; auth-service run --postgres-file \(site.folder)/f --socket \(site.folder)/s"
    )
    #expect(secret.ending == .exited(2) && !secret.text.contains("secret"), "\(secret.text)")
    let empty = try await site.run(
      "createdb accounts; auth-service run --postgres-file \(site.folder)/postgres --socket \(site.folder)/s")
    #expect(empty.ending == .exited(3), "\(empty.text)")
    #expect(access(site.folder + "/s", F_OK) != 0)
  }

  @Test("a password file that others can read is warned of once for each host")
  func passwordFile() async throws {
    let site = try await Site()
    try "*:*:*:*:word\n".write(toFile: site.folder + "/pgpass", atomically: false, encoding: .utf8)
    for (mode, hosts, warnings) in [(644, "localhost", 1), (644, "localhost,127.0.0.1", 2), (600, "localhost", 0)] {
      let outcome = try await site.run(
        """
        chmod \(mode) \(site.folder)/pgpass
        echo 'host=\(hosts) port=1 dbname=x user=y passfile=\(site.folder)/pgpass' >\(site.folder)/closed
        auth-service schema check --postgres-file \(site.folder)/closed
        """)
      #expect(outcome.ending == .exited(3), "\(outcome.text)")
      #expect(outcome.text.components(separatedBy: "WARNING: ").count == warnings + 1, "\(outcome.text)")
    }
  }

  @Test("the article's commands take over a database whose rules were functions in the server")
  func older() async throws {
    let site = try await Site()
    let blocks = try ArticleTests.blocks("older")
    try #require(blocks.count == 1)
    let script = blocks[0].replacing("/etc/auth-service/postgres", with: site.folder + "/role")
    let role = "postgresql:///accounts?host=\(site.server.directory)&user=auth-cli"
    let outcome = try await site.run(
      """
      createdb accounts; createuser auth-cli; createuser --no-login auth_cli; createuser --no-login auth_cli_owner
      psql --quiet --file fixtures/function-server.sql accounts >\(site.folder)/log
      echo '\(role)' >\(site.folder)/role
      \(script)
      auth-service schema check --postgres-file \(site.folder)/role
      """)
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    for text in ["Imported 9 accounts, 12 payments", "The database is in order."] {
      #expect(outcome.text.contains(text), "\(text): \(outcome.text)")
    }
    let service = try RunningService(postgres: role)
    _ = try service.client().logIn("erin", password: "a long passphrase of everyone")
  }

  @Test("the article's commands for PostgreSQL run, from an SQLite database to its import")
  func article() async throws {
    let site = try await Site()
    let blocks = try ArticleTests.blocks("postgres")
    try #require(blocks.count == 3)
    // The import is in place of the installation.
    let script = (blocks[0] + "dropdb accounts; createdb accounts\n" + blocks[1...].joined()).replacing(
      "/etc/auth-service/postgres", with: site.folder + "/postgres"
    )
    .replacing("/var/lib/auth-service", with: site.folder + "/data")
    .replacing("postgresql:///accounts", with: site.address)
    let outcome = try await site.run(
      """
      echo 'marble kettle window harvest' |
        auth-service schema install --database \(site.folder)/data --first-administrator zoe --password-stdin
      """ + "\n" + ArticleTests.systemd + (try ArticleTests.blocks("sh")[3]) + script)
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    for text in ["Imported 1 accounts", "The database is in order.", "The database already has this version."] {
      #expect(outcome.text.contains(text), "\(text): \(outcome.text)")
    }
  }
}
