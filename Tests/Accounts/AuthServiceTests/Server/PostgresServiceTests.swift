import AuthAccounts
import AuthCore
import Foundation
import PostgresServers
import Services
import Testing

@testable import AuthService

@Suite(
  "The service on PostgreSQL", .enabled(if: RunningService.hasPostgres, "postgresql is not installed"),
  .timeLimit(.minutes(10)))
struct PostgresServiceTests {
  @Test("two services share a database, and a payment at one notifies a subscriber of the other")
  func two() async throws {
    let site = try await PostgresSite("two")
    try await site.install()
    let (first, second) = (try RunningService(postgres: site.address), try RunningService(postgres: site.address))
    let (one, other) = (try first.client(), try second.client())
    #expect(one.hello?.database == other.hello?.database)
    let token = try one.logIn("alice")
    _ = try one.ask(Operations.setRegistration, .open, token)
    _ = try one.ask(Operations.register, "bob", Secret(RunningService.password), nil)
    let bobs = try other.logIn("bob")
    try other.send(.subscribe(100, bobs))
    _ = try other.answer(100)
    _ = try one.ask(Operations.pay, PaymentOrder(amount: try Amount("1"), payee: try Username("bob"), key: nil), token)
    try #require(try other.isNotified(), "not told")
  }

  @Test("the tables of a running service are checked, but not removed, and its sessions do not end as after a restore")
  func inUse() async throws {
    let site = try await PostgresSite("used")
    try await site.install()
    let service = try RunningService(postgres: site.address)
    let remove = "auth-service schema remove --postgres-file $postgres --confirm used"
    let restore = "auth-service after-restore --postgres-file $postgres"
    let client = try service.client()
    let token = try client.logIn("alice")
    for command in [remove, restore] {
      let text = try await site.run(command, exits: 3)
      #expect(text.contains("is in use by another process"), "\(text)")
    }
    #expect(try await site.run("auth-service schema check --postgres-file $postgres").contains("is in order"))
    #expect(try client.lookUp(token) != nil)
    service.end()
    #expect(try await site.run(restore).contains("Sessions ended: 1."))
    #expect(try await site.run(remove).contains("The tables are removed."))
    let check = try await site.run("auth-service schema check --postgres-file $postgres", exits: 3)
    #expect(check.contains("schema install --postgres-file "), "\(check)")
  }

  @Test("after a restore no receipt gets the number of a payment that was lost")
  func restore() async throws {
    let site = try await PostgresSite("restored")
    try await site.install()
    let service = try RunningService(postgres: site.address)
    let order = try PaymentOrder("1", to: "bob")
    func pay(_ client: ServiceClient) throws -> Int64 { try client.pay(order, try client.logIn("alice")).id }
    let client = try service.client()
    _ = try client.ask(Operations.setRegistration, .open, try client.logIn("alice"))
    _ = try client.ask(Operations.register, "bob", Secret(RunningService.password), nil)
    try await site.run("pg_dump -f $HOME/dump restored")
    let lost = try pay(client)
    service.end()
    let text = try await site.run(
      """
      dropdb restored; createdb restored; psql -qv ON_ERROR_STOP=1 -o $HOME/output -f $HOME/dump restored
      auth-service after-restore --postgres-file $postgres
      """)
    try service.start()
    let new = try pay(try service.client())
    #expect(new > lost && text.contains("New receipts get numbers from \(new) on"), "\(lost), \(new), \(text)")
  }

  @Test("a password in the address is refused, and a database without tables is not served")
  func refused() async throws {
    let site = try await PostgresSite("refused")
    let secret = try await site.run(
      "echo 'postgresql://u:secret@localhost/x' >$HOME/f; auth-service run --postgres-file $HOME/f --socket $HOME/s",
      exits: 2)
    #expect(!secret.contains("secret"), "\(secret)")
    try await site.run("createdb refused; auth-service run --postgres-file $postgres --socket $HOME/s", exits: 3)
    #expect(access(site.folder + "/s", F_OK) != 0)
    // The tables that a hint to install them would bring were in the way of the import.
    let text = try await site.run("auth-service schema import --postgres-file $postgres --from $HOME/missing", exits: 3)
    #expect(text.contains("to import with --from") && !text.contains("schema install"), "\(text)")
  }

  @Test("a password file that others can read is warned of once for each host")
  func passwordFile() async throws {
    let site = try await PostgresSite("warned")
    for (mode, hosts, warnings) in [(644, "localhost", 1), (644, "localhost,127.0.0.1", 2), (600, "localhost", 0)] {
      let text = try await site.run(
        """
        cd; echo '*:*:*:*:word' >pgpass; chmod \(mode) pgpass
        echo 'host=\(hosts) port=1 dbname=x user=y passfile=\(site.folder)/pgpass' >closed
        auth-service schema check --postgres-file closed
        """, exits: 3)
      #expect(text.components(separatedBy: "WARNING: ").count == warnings + 1, "\(text)")
    }
  }

  @Test("the article's commands for PostgreSQL run, from an SQLite database to its import")
  func article() async throws {
    let site = try await PostgresSite("accounts")
    try await site.run("dropuser --if-exists auth-cli")
    let blocks = try ArticleTests.blocks("postgres")
    try #require(blocks.count == 3)
    // The import is in place of the installation.
    let script = (blocks[0] + "dropdb accounts; createdb accounts\n" + blocks[1...].joined()).replacing(
      "/etc/auth-service/postgres", with: site.folder + "/postgres"
    )
    .replacing("/var/lib/auth-service", with: site.folder + "/data")
    .replacing("postgresql:///accounts", with: site.address)
    let text = try await site.run(
      """
      echo 'marble kettle window harvest' |
        auth-service schema install --database \(site.folder)/data --first-administrator zoe --password-stdin
      """ + "\n" + ArticleTests.systemd + (try ArticleTests.blocks("sh")[4]) + script)
    for words in ["Imported accounts: 1, ", "The database is in order.", "The database already has this version."] {
      #expect(text.contains(words), "\(words): \(text)")
    }
  }
}
