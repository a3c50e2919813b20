import AuthAccounts
import AuthCore
import AuthRules
import Foundation
import PostgresServers
import Programs
import Races
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Each fault is a clear message with its code, and within the limits.
  @Suite struct FaultTests {
    private static let unknown = SessionToken(bytes: [1])

    /// The failure of a look at a database.
    private func failure(_ address: String, _ limits: ServerLimits = ServerLimits()) throws -> BackendError {
      let authority = try PostgresAuthority(address, limits)
      let failure = try #require(Services.failure { try authority.lookUp(Self.unknown) })
      #expect(!failure.asUnavailability.hint.isEmpty)
      return failure
    }

    private func code(_ address: String, _ limits: ServerLimits = ServerLimits()) throws -> String {
      try failure(address, limits).code
    }

    @Test(
      "an address without a database, or with a password, is refused before a connection",
      arguments: [
        ("", "database_address_invalid"), ("accounts", "database_address_invalid"),
        ("postgresql://u:12/secret@h/x", "address_has_password"), ("host=h pwd secret", "database_address_invalid"),
        ("postgresql://h/x?application_name=%zsecret", "database_address_invalid"),
        ("postgresql://[secret", "database_address_invalid"), ("user='a\" secret", "database_address_invalid"),
        ("postgresql://h/x?nonsense=1", "database_address_invalid"), ("nonsense=1", "database_address_invalid"),
        ("postgresql://alice:secret@host/x", "address_has_password"),
        ("host=h password=secret", "address_has_password"),
      ])
    func address(text: String, code: String) {
      let failure = Services.failure { try ServerAddress(text) }
      #expect(failure?.code == code && failure?.description.contains("secret") == false)
    }

    @Test("no server, no answer, no such service, no such role, no schema: each says which")
    func connecting() throws {
      let database = try RulesDatabase()
      let server = database.server
      #expect(try code("host=/nonexistent dbname=x") == "server_unreachable")
      #expect(try code("service=there_is_no_such_service") == "service_unknown")
      #expect(try code(server.address("there_is_no_such_database")) == "server_unreachable")
      #expect(try code(server.address("postgres", user: "there_is_no_such_role")) == "server_login_refused")
      #expect(try code(server.address("postgres")) == "schema_missing")
      #expect(try code(server.address(database.name, user: "person")) == "role_not_permitted")
      // It accepts and never answers.
      let silent = SilentServer()
      let limits = ServerLimits(connecting: .milliseconds(300))
      #expect(try code("host=\(silent.directory) dbname=x user=x", limits) == "server_silent")
    }

    @Test("an answer that has arrived is read even after its time, as in a process that was stopped meanwhile")
    func late() throws {
      let server = SilentServer()
      let opened = TwoThreads.answers { side -> Result<(ServerConnection?, Int32), any Error> in
        Result {
          side == 0 ? (try Databases.connect("host=\(server.directory) dbname=x user=x"), -1) : (nil, server.welcome())
        }
      }
      let (connection, descriptor) = (try #require(try opened[0].get().0), try opened[1].get().1)
      defer { close(descriptor) }
      SilentServer.answer(on: descriptor)
      #expect(try connection.run("SET x.y = 1", until: .now) == [])
      #expect(throws: ServerFault.unknown("no answer in time")) { try connection.run("SET x.y = 1", until: .now) }
    }

    @Test("a server without a free connection, and one that starts, say so in every language")
    func refusals() throws {
      let database = try RulesDatabase()
      try database.sql("ALTER DATABASE \(database.name) CONNECTION LIMIT 0")
      let starting = SilentServer()
      starting.refuse(state: "57P03", message: "das Datenbanksystem startet")
      for (address, code, words) in [
        (
          database.server.address(database.name, user: "service"), "server_busy",
          "FATAL:  too many connections for database"
        ),
        ("host=\(starting.directory) dbname=x user=x", "server_starting", "FATAL:  das Datenbanksystem startet."),
      ] {
        let failure = try failure(address)
        #expect(failure.code == code && failure.asUnavailability.cause == .busy)
        #expect(failure.description.contains(words) && !failure.description.contains("LOCATION"))
      }
    }

    @Test("the next host is tried beside one that is silent")
    func nextHost() throws {
      let database = try RulesDatabase()
      func address(_ other: String) -> String {
        "host=\(other),\(database.server.directory) dbname=\(database.name) user=postgres"
      }
      let (silent, limit) = (SilentServer(), Duration.seconds(60))
      let authority = try PostgresAuthority(address(silent.directory), ServerLimits(connecting: limit))
      #expect(try authority.lookUp(Self.unknown) == nil)
      // Once it has answered it is the first one: nothing is tried beside that.
      let folder = ShortFolder()
      let limits = ServerLimits(connecting: limit, nextHost: .seconds(600))
      let connecting = Connecting(try ServerAddress(address(folder.path)), limits)
      _ = try connecting.connect()
      let listener = listeningSocket(at: folder.path + "/.s.PGSQL.5432")
      defer { close(listener) }
      _ = try connecting.connect()
    }

    @Test("a server that is older than the one that confirmed a change is refused, until that is forgotten")
    func confirmedServer() throws {
      let folder = ShortFolder()
      let database = try RulesDatabase()
      let confirmed = ConfirmedServer(directory: folder.path)
      func authority() throws -> PostgresAuthority { try PostgresAuthority(database.address, confirmed: confirmed) }
      // A read confirms nothing: a promotion that is taken back answers reads, too.
      #expect(try authority().lookUp(Self.unknown) == nil)
      #expect(confirmed.known() == nil)
      _ = try authority().register(username: "alice", password: alicePassword)
      let change = try #require(confirmed.known()?.change)
      let known = try #require(confirmed.known()?.server)
      #expect(known.timeline == 1)
      #expect(try authority().lookUp(Self.unknown) == nil)
      for (system, timeline, words) in [
        (known.system, 2, "old primary of timeline 1, and timeline 2 has confirmed changes"),
        ("7", 1, "another cluster (\(known.system)) than the one that confirmed changes (7"),
      ] {
        try confirmed.replace(
          with: ConfirmedServer.Known(
            server: ConfirmedServer.Identity(system: system, timeline: UInt32(timeline)), change: change))
        let failure = Services.failure { try authority().register(username: "eve", password: alicePassword) }
        #expect(failure?.code == "server_outdated" && failure?.description.contains(words) == true)
      }
      #expect(try confirmed.forget())
      #expect(try !confirmed.forget())
      _ = try authority().register(username: "bob", password: bobPassword)
      #expect(confirmed.known()?.server == known)
    }

    @Test("a power cut in the middle of a change damages one sector, and the change before it is on file")
    func damagedSector() throws {
      let folder = ShortFolder()
      let confirmed = ConfirmedServer(directory: folder.path)
      let server = ConfirmedServer.Identity(system: "7", timeline: 1)
      let changes = (1...4).map { ConfirmedServer.Change(log: 10 * $0, transaction: $0) }
      for (index, change) in changes.enumerated() {
        let before = FileManager.default.contents(atPath: confirmed.path) ?? Data()
        confirmed.note(change, at: server)
        #expect(confirmed.known()?.change == change)
        guard index > 0 else { continue }
        let after = try #require(FileManager.default.contents(atPath: confirmed.path))
        // The second half of what was written is there, and not the first.
        let written = after.indices.filter { !before.indices.contains($0) || before[$0] != after[$0] }
        var damaged = after
        for place in written.prefix((written.count + 1) / 2) { damaged[place] = 0 }
        try damaged.write(to: URL(filePath: confirmed.path))
        #expect(confirmed.known()?.change == changes[index - 1])
        try after.write(to: URL(filePath: confirmed.path))
      }
    }

    @Test("a server that was promoted separately, to the same timeline, is refused: it lacks the last confirmed change")
    func sameTimeline() throws {
      let pair = try ThrowawayServer(.pair)
      defer { pair.stop() }
      let folder = ShortFolder()
      let confirmed = ConfirmedServer(directory: folder.path)
      func address(_ server: String) -> String { "host=\(pair.directory)/\(server) user=postgres dbname=postgres" }
      func authority(_ server: String) throws -> PostgresAuthority {
        try PostgresAuthority(address(server), confirmed: confirmed)
      }
      pair.tell("sync a b")
      try PostgresSchema.install(try ServerAddress(address("a")))
      _ = try authority("a").register(username: "alice", password: alicePassword)
      pair.tell("async a")
      pair.tell("kill a")
      pair.tell("promote b")
      _ = try authority("b").register(username: "bob", password: bobPassword)
      // Only a power cut may lose what it has confirmed; it is started again, and is the right one.
      pair.tell("kill b")
      pair.tell("start b")
      #expect(try authority("b").lookUp(Self.unknown) == nil)
      let signal = open(pair.directory + "/a/data/standby.signal", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
      try #require(signal >= 0)
      close(signal)
      pair.tell("start a")
      pair.tell("promote a")
      let failure = Services.failure { try authority("a").lookUp(Self.unknown) }
      #expect(failure?.code == "server_outdated")
      #expect(
        failure?.description.contains("another primary of timeline 2, which lacks the last confirmed change") == true)
      #expect(try authority("b").lookUp(Self.unknown) == nil)
      #expect(try confirmed.forget())
      #expect(try authority("a").lookUp(Self.unknown) == nil)
    }

    @Test("a commit that a warning comes with, or no answer in time, has an unknown outcome, and nothing is cancelled")
    func replication() throws {
      let server = try ThrowawayServer(settings: ["synchronous_standby_names=nobody"])
      defer { server.stop() }
      let address = server.address("postgres")
      let local = address + " options='-c synchronous_commit=local'"
      try PostgresSchema.install(try ServerAddress(local))
      try Databases.connect(local).sql("ALTER ROLE postgres SET synchronous_commit = local")
      let authority = try PostgresAuthority(address, ServerLimits(answer: .seconds(1)))
      // No standby answers: the change is made here, and may be lost when another server takes
      // over.
      // A server that answers late before the commit has changed nothing: then once more.
      var code: String? = "server_lost"
      while code == "server_lost" {
        code = Services.code { try authority.register(username: "alice", password: alicePassword) }
      }
      #expect(code == "outcome_unknown")
      let superuser = try Databases.connect(local)
      let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND state = 'active' AND query = 'COMMIT'"
      // The server ends that wait, so that the next commit is the only one that waits.
      while try superuser.sql("SELECT pg_cancel_backend(pid) \(waiting)") != [] {}
      let other = try PostgresAuthority(address, ServerLimits(answer: .seconds(60)))
      let answers = TwoThreads.answers { side -> String? in
        if side == 0 { return Services.code { try other.register(username: "bob", password: bobPassword) } }
        return Services.code {
          let superuser = try Databases.connect(local)
          while try superuser.sql("SELECT pg_cancel_backend(pid) \(waiting)").isEmpty {}
        } ?? "cancelled"
      }
      #expect(answers == ["outcome_unknown", "cancelled"])
    }

    @Test("a connection that ends while it commits leaves the outcome unknown, and nothing before that does")
    func commit() throws {
      let database = try RulesDatabase()
      let (authority, token) = (database.authority, try database.registerBoth())
      try database.sql(
        """
        CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION die();
        """)
      #expect(Services.code { try authority.rules.rename(to: "Ada", token: token) } == "outcome_unknown")
      #expect(try authority.rules.profile(token: token).user.displayName == "alice")
      try database.sql("DROP FUNCTION die CASCADE")
      #expect(try authority.rules.rename(to: "Ada", token: token).user.displayName == "Ada")
    }

    @Test("a missing table is named, and what the transaction did before is undone")
    func missingTable() throws {
      let database = try RulesDatabase()
      let (authority, token) = (database.authority, try database.registerBoth())
      let order = try PaymentOrder("1")
      for table in ["entries", "events"] {
        try database.sql("ALTER TABLE \(table) RENAME TO elsewhere")
        let failure = Services.failure {
          try (table == "entries" ? Operations.pay(order, token) : Operations.rename("Ada", token)).perform(authority)
        }
        #expect(failure?.code == "schema_missing" && failure?.description.contains(table) == true)
        try database.sql("ALTER TABLE elsewhere RENAME TO \(table)")
        #expect(try authority.rules.profile(token: token).balance == 100_00)
        #expect(try authority.rules.profile(token: token).user.displayName == "alice")
        #expect(try database.number("SELECT count(*) FROM auth.transfers WHERE payer = 1") == 0)
      }
    }

    /// An address of this machine that no other server uses.
    private static var loopback: String {
      "127.\(Int.random(in: 1...250)).\(Int.random(in: 1...250)).\(Int.random(in: 1...250))"
    }

    @Test("over TCP a server without TLS is refused unless that is said")
    func encryption() throws {
      let loopback = Self.loopback
      let server = try ThrowawayServer(settings: ["listen_addresses=\(loopback)"])
      defer { server.stop() }
      let address = "host=\(loopback) dbname=postgres user=postgres"
      #expect(["server_encryption", "server_certificate"].contains(try code(address)))
      #expect(try code(address + " sslmode=require") == "server_encryption")
      #expect(try code(address + " sslmode=disable") == "schema_missing")
    }

    @Test(
      "a wrong password of the role, an unknown certificate and another name in it are refused, each with its code",
      .enabled(if: system("command -v openssl >/dev/null") == 0, "openssl is not installed"))
    func credentials() throws {
      let files = try ServerFiles()
      let loopback = Self.loopback
      let server = try ThrowawayServer(settings: ["listen_addresses=\(loopback)", "ssl=on"] + files.settings)
      defer { server.stop() }
      let local = "host=\(server.directory) dbname=postgres"
      try Databases.connect(local + " user=postgres").sql(
        "CREATE ROLE person LOGIN PASSWORD 'right word'; GRANT CREATE ON DATABASE postgres TO person")
      let person = local + " user=person passfile="
      try PostgresSchema.install(try ServerAddress(person + files.rightWord))
      #expect(try PostgresAuthority(person + files.rightWord).lookUp(Self.unknown) == nil)
      #expect(try code(person + files.wrongWord) == "server_login_refused")
      #expect(try code(person + "/nonexistent") == "server_login_refused")
      let remote = "hostaddr=\(loopback) dbname=postgres user=postgres sslrootcert="
      let safe = "host=localhost " + remote + files.certificate
      #expect(try PostgresAuthority(safe).lookUp(Self.unknown) == nil)
      #expect(
        try Databases.connect(safe).sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [["t"]])
      #expect(try code("host=localhost " + remote + files.otherCertificate) == "server_certificate")
      // The rules of this server let nobody in without TLS.
      #expect(try code("host=localhost sslmode=disable " + remote + files.certificate) == "server_login_refused")
      #expect(try code("host=other.example " + remote + files.certificate) == "server_certificate")
    }

    @Test(
      "a full disk of the server refuses a payment, and nothing of it is left",
      .enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func diskFull() throws {
      let folder = ShortFolder()
      chmod(folder.path, 0o755)
      // The user id that servers run as.
      let disk = try SmallDisk(at: folder.path + "/disk", owner: 65534)
      let database = try RulesDatabase()
      let (authority, token) = (database.authority, try database.registerBoth())
      let superuser = try Databases.connect(database.address)
      try superuser.sql("CREATE TABLESPACE small LOCATION '\(folder.path)/disk'")
      try superuser.sql("ALTER TABLE auth.transfers SET TABLESPACE small")
      disk.fill()
      let order = try PaymentOrder("0.01")
      var paid: Int64 = 0
      let failure = Services.failure {
        // The last page of the table takes some rows more.
        for _ in 0..<1000 {
          _ = try authority.rules.pay(order, token: token)
          paid += 1
        }
      }
      #expect(failure?.code == "server_full")
      #expect(try authority.rules.profile(token: token).balance == 100_00 - paid)
      disk.free()
      _ = try authority.rules.pay(order, token: token)
      #expect(try authority.rules.profile(token: token).balance == 100_00 - paid - 1)
      try superuser.sql("ALTER TABLE auth.transfers SET TABLESPACE pg_default")
      try superuser.sql("DROP TABLESPACE small")
    }
  }
}
