import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import PostgresServers
import Synchronization
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Each fault is a clear message with its code, and within the limits.
  @Suite struct FaultTests {
    private func code(_ address: String, limits: ServerLimits = ServerLimits()) throws -> String {
      let backend = PostgresBackend(try ServerAddress(address), limits: limits, cost: .least)
      let failure = #expect(throws: BackendError.self) { _ = try backend.lookUp(SessionToken(bytes: [1])) }
      #expect(failure?.hint.isEmpty == false)
      return failure?.code ?? ""
    }

    @Test(
      "what does not name a database, or holds a password, is refused before anything is connected",
      arguments: [
        ("", "address_invalid"), ("accounts", "address_invalid"), ("postgresql://h/x?nonsense=1", "address_invalid"),
        ("nonsense=1", "address_invalid"), ("postgresql://alice:secret@host/x", "address_has_password"),
        ("host=h password=secret", "address_has_password"),
      ])
    func address(text: String, code: String) {
      let failure = #expect(throws: BackendError.self) { _ = try ServerAddress(text) }
      #expect(failure?.code == code)
      #expect(failure?.description.contains("secret") == false)
    }

    @Test("no server, no such service, no such role, no schema: each says which")
    func connecting() throws {
      let server = Databases.shared.server
      #expect(try code("host=/nonexistent dbname=x") == "server_unreachable")
      #expect(try code("service=there_is_no_such_service") == "service_unknown")
      #expect(try code(server.address("there_is_no_such_database")) == "server_unreachable")
      #expect(try code(server.address("postgres", user: "there_is_no_such_role")) == "server_login_refused")
      #expect(try code(server.address("postgres")) == "schema_missing")
      let database = try Databases.shared.make()
      try database.superuser {
        try $0.sql("DO $$ BEGIN CREATE ROLE stranger LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
      }
      #expect(try code(server.address(database.name, user: "stranger")) == "role_not_permitted")
    }

    @Test("a server that accepts and never answers is given up at the limit")
    func silent() throws {
      let silent = try SilentServer()
      let limits = ServerLimits(connecting: .milliseconds(300))
      #expect(
        try code("host=127.0.0.1 port=\(silent.port) sslmode=disable dbname=x user=x", limits: limits)
          == "server_silent")
    }

    @Test("a server without a free connection, and one that starts, say so in every language")
    func refusals() throws {
      let database = try Databases.shared.make(isChanged: true)
      try database.superuser { try $0.sql("ALTER DATABASE \(database.name) CONNECTION LIMIT 0") }
      let backend = PostgresBackend(try database.address(), cost: .least)
      let full = #expect(throws: BackendError.self) { _ = try backend.lookUp(SessionToken(bytes: [1])) }
      #expect(full?.code == "server_busy")
      #expect(full?.description.contains("FATAL:  too many connections for database") == true)
      #expect(full?.description.contains("LOCATION") == false)
      let server = try SilentServer()
      server.refuse(state: "57P03", message: "das Datenbanksystem startet")
      let address = "host=127.0.0.1 port=\(server.port) sslmode=disable dbname=x user=x"
      let starting = #expect(throws: BackendError.self) {
        _ = try PostgresBackend(address: address).lookUp(SessionToken(bytes: [1]))
      }
      #expect(starting?.code == "server_starting")
      #expect(starting?.description.hasSuffix("FATAL:  das Datenbanksystem startet.") == true)
      for failure in [full, starting] {
        guard case .unavailable(let trouble)? = failure?.kind else { continue }
        #expect(trouble.cause == .busy)
      }
    }

    @Test("a server that names a fast hash, or one that would fill the memory, gets nothing of the password")
    func rogueSetting() throws {
      let database = try Databases.shared.make(isChanged: true)
      try database.backend().registerBoth()
      let salt = "aaaaaaaaaaaaaaaaaaaaa."
      for (setting, cost, isHashed) in [
        ("$3$$", PasswordCost.least, false), ("ab", .least, false), ("$1$aaaaaaaa", .least, false),
        ("$y$j9T$" + salt, .least, true), ("$y$jFT$" + salt, .least, false), ("$y$j75$", .least, false),
        ("$y$j75$" + salt + "x", .least, false), (PasswordCost.least.prefix + salt, .standard, false),
        (PasswordCost.standard.prefix + salt, .standard, true), ("", .least, false),
      ] {
        try database.superuser {
          try $0.sql(
            """
            CREATE OR REPLACE FUNCTION authcore.setting(p_version integer, p_name text, p_name_hash bytea)
            RETURNS authcore.setting_answer LANGUAGE sql SECURITY DEFINER AS $body$
              SELECT 'ok', authcore.clock_ns(), '\(setting)', NULL
            $body$;
            """)
        }
        let backend = PostgresBackend(try database.address(), cost: cost)
        let failure = #expect(throws: BackendError.self) {
          _ = try backend.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard)
        }
        // What is hashed is not the setting of the account; the client asks again, and gives up.
        #expect(failure?.code == (isHashed ? "database_busy" : "server_setting_refused"), "\(setting)")
      }
    }

    @Test("the next host is tried beside one that is silent")
    func nextHost() throws {
      let silent = try SilentServer()
      let database = try Databases.shared.make()
      let address =
        "host=127.0.0.1,\(database.server.directory) port=\(silent.port),5432 sslmode=disable dbname=\(database.name) user=person"
      let backend = PostgresBackend(try ServerAddress(address), cost: .least)
      #expect(try backend.lookUp(SessionToken(bytes: [1])) == nil)
      #expect(backend.connection?.place == database.server.directory)
    }

    /// A record that says what it is told to say.
    private struct ScriptedRecord: TimelineRecord {
      final class Kept: Sendable {
        let timelines = Mutex<[String: UInt32]>([:])
      }
      let path = "/the/record"
      let recorded: UInt32?
      let kept = Kept()

      func newest(of cluster: String) -> UInt32? { recorded }
      func keep(_ timeline: UInt32, of cluster: String) {
        kept.timelines.withLock { $0[cluster] = timeline }
      }
    }

    @Test("of several hosts, one of an older timeline than one that confirmed a change is refused")
    func olderTimeline() throws {
      let database = try Databases.shared.make()
      let directory = database.server.directory
      func backend(_ hosts: String, _ record: ScriptedRecord) throws -> PostgresBackend {
        PostgresBackend(
          try ServerAddress("host=\(hosts) user=person dbname=\(database.name)"), cost: .least, timelines: record)
      }
      let twice = "\(directory),\(directory)"
      let first = ScriptedRecord(recorded: nil)
      // A read confirms nothing: a promotion that is taken back answers reads, too.
      let reader = try backend(twice, first)
      #expect(try reader.lookUp(SessionToken(bytes: [1])) == nil)
      #expect(first.kept.timelines.withLock { $0.isEmpty })
      _ = try reader.register(username: "alice", password: alicePassword)
      #expect(first.kept.timelines.withLock { Array($0.values) } == [1])
      let same = ScriptedRecord(recorded: 1)
      _ = try backend(twice, same).register(username: "bob", password: bobPassword)
      #expect(same.kept.timelines.withLock { $0.isEmpty })
      let newer = ScriptedRecord(recorded: 2)
      let failure = #expect(throws: BackendError.self) {
        _ = try backend(twice, newer).lookUp(SessionToken(bytes: [1]))
      }
      #expect(failure?.code == "server_outdated")
      #expect(failure?.description.contains("timeline 2 has confirmed changes (recorded in /the/record)") == true)
      #expect(failure?.hint.hasSuffix("rm -f '/the/record'") == true)
      #expect(newer.kept.timelines.withLock { $0.isEmpty })
      // There is no other host that it could be the old primary of.
      #expect(try backend(directory, newer).lookUp(SessionToken(bytes: [1])) == nil)
    }

    @Test("over TCP a server without TLS is refused unless that is said")
    func encryption() throws {
      let server = try ThrowawayServer(settings: ["listen_addresses=127.0.0.1", "port=\(Self.freePort())"])
      defer { server.stop() }
      let port =
        try Databases.connect("host=\(server.directory) port=\(Self.lastPort) user=postgres dbname=postgres")
        .rows("SHOW port").first?[0] ?? ""
      let address = "host=127.0.0.1 port=\(port) dbname=postgres user=postgres"
      #expect(["server_encryption", "server_certificate"].contains(try code(address)))
      #expect(try code(address + " sslmode=require") == "server_encryption")
      #expect(try code(address + " sslmode=disable") == "schema_missing")
    }

    private nonisolated(unsafe) static var lastPort: UInt16 = 0
    private static func freePort() -> UInt16 {
      lastPort = (try? SilentServer())?.port ?? 0
      return lastPort
    }

    @Test(
      "a wrong password of the role, an unknown certificate and another name in it are refused, each with its code",
      .enabled(if: system("command -v openssl >/dev/null") == 0, "openssl is not installed"))
    func credentials() throws {
      let files = try ServerFiles()
      defer { files.remove() }
      let port = try SilentServer().port
      let server = try ThrowawayServer(
        settings: ["listen_addresses=127.0.0.1", "port=\(port)", "ssl=on"] + files.settings)
      defer { server.stop() }
      let local = "host=\(server.directory) port=\(port) dbname=postgres"
      try SchemaOwner(try ServerAddress(local + " user=postgres"), cost: .least).installEmpty()
      try Databases.connect(local + " user=postgres").sql(
        "CREATE ROLE person LOGIN PASSWORD 'right word'; GRANT auth_cli TO person")
      let person = local + " user=person passfile="
      #expect(try PostgresBackend(address: person + files.rightWord).lookUp(SessionToken(bytes: [1])) == nil)
      #expect(try code(person + files.wrongWord) == "server_login_refused")
      #expect(try code(person + "/nonexistent") == "server_login_refused")
      let remote = "hostaddr=127.0.0.1 port=\(port) dbname=postgres user=postgres sslrootcert="
      let safe = try PostgresBackend(address: "host=localhost " + remote + files.certificate)
      #expect(try safe.lookUp(SessionToken(bytes: [1])) == nil)
      #expect(safe.connection?.encryption?.hasPrefix("TLS") == true)
      #expect(try code("host=localhost " + remote + files.otherCertificate) == "server_certificate")
      // The rules of this server let nobody in without TLS.
      #expect(try code("host=localhost sslmode=disable " + remote + files.certificate) == "server_login_refused")
      #expect(try code("host=other.example " + remote + files.certificate) == "server_certificate")
    }

    @Test(
      "a full disk of the server refuses a payment, and nothing of it is left",
      .enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func diskFull() throws {
      let disk = try SmallDisk()
      defer { disk.remove() }
      let database = try Databases.shared.make(isChanged: true)
      let backend = try database.backend()
      try backend.registerBoth()
      let token = try backend.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard).token
      try database.superuser {
        try $0.sql("CREATE TABLESPACE small LOCATION '\(disk.directory)'")
        try $0.sql("ALTER TABLE authcore.transfers SET TABLESPACE small")
      }
      disk.fill()
      let order = PaymentOrder(amount: try Amount(minorUnits: 1), payee: try Username("bob"))
      var paid: Int64 = 0
      let failure = #expect(throws: BackendError.self) {
        // The last page of the table takes some rows more.
        for _ in 0..<1000 {
          _ = try backend.pay(order, token: token)
          paid += 1
        }
      }
      #expect(failure?.code == "server_full")
      #expect(failure?.hint.contains("nothing was changed") == true)
      #expect(try backend.profile(token: token).balance == 100_00 - paid)
      disk.free()
      _ = try backend.pay(order, token: token)
      #expect(try backend.profile(token: token).balance == 100_00 - paid - 1)
      try database.superuser {
        try $0.sql("ALTER TABLE authcore.transfers SET TABLESPACE pg_default")
        try $0.sql("DROP TABLESPACE small")
      }
    }

    @Test("an older and a newer schema are refused, each with what to do")
    func versions() throws {
      for (major, expected) in [(0, "database_older"), (2, "database_newer")] {
        let database = try Databases.shared.make(isChanged: true)
        try database.superuser {
          try $0.sql(
            """
            UPDATE authcore.authority SET major = \(major);
            CREATE OR REPLACE FUNCTION authcore.enter(p_version integer) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN
              IF p_version <> \(major) THEN RAISE EXCEPTION 'other version' USING ERRCODE = 'AC001'; END IF;
            END $$;
            """)
        }
        let backend = try database.backend()
        let failure = #expect(throws: BackendError.self) { _ = try backend.lookUp(SessionToken(bytes: [1])) }
        #expect(failure?.code == expected)
      }
    }

    @Test("a token of another database is not sent there, and says which is which")
    func otherDatabase() async throws {
      let (first, second) = (try Databases.shared.make(), try Databases.shared.make())
      let issuer = try first.backend()
      try issuer.registerBoth()
      let token = try issuer.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard).token
      let other = try second.backend()
      let failure = #expect(throws: BackendError.self) { _ = try other.lookUp(token) }
      #expect(failure?.code == "session_of_other_database")
      await #expect(throws: Unavailability.self) { try await other.revoke(token, reason: .userAsked) }
      let pay = #expect(throws: BackendError.self) {
        _ = try other.pay(
          PaymentOrder(amount: try Amount("1"), payee: try Username("bob")), token: token)
      }
      #expect(pay?.code == "session_of_other_database")
      // It left no event there: nothing of it was sent.
      #expect(try second.superuser { try $0.rows("SELECT count(*) FROM authcore.events") } == [["0"]])
      #expect(try issuer.lookUp(token) != nil)
    }

    @Test("a server that is killed under a payment pays once, and says so or says what is unknown")
    func killed() throws {
      let database = try Databases.shared.make()
      let backend = try database.backend()
      try backend.registerBoth()
      let token = try backend.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard).token
      let order = PaymentOrder(amount: try Amount("1"), payee: try Username("bob"))
      var paid = 0
      for _ in 0..<10 {
        // The server process of this connection dies between two calls: the next one connects
        // again.
        try database.superuser {
          _ = try $0.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)' AND usename = 'person'"
          )
        }
        _ = try backend.pay(order, token: token)
        paid += 1
      }
      let rows = try database.superuser {
        try $0.rows("SELECT count(*) FROM authcore.transfers WHERE payer = 1")
      }
      #expect(rows == [[String(paid)]])
    }
  }
}

/// Listens on a port of this machine, and answers nothing unless it is told to refuse.
final class SilentServer {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Answers the next connection as a server that ends it with an error.
  ///
  /// Source: PostgreSQL, "Message Formats", ErrorResponse.
  func refuse(state: String, message: String) {
    var fields: [UInt8] = []
    for (field, value) in [
      ("S", "FATAL"), ("V", "FATAL"), ("C", state), ("M", message), ("F", "postmaster.c"), ("L", "1"),
    ] {
      fields += Array(field.utf8) + Array(value.utf8) + [0]
    }
    fields.append(0)
    let length = UInt32(fields.count + 4)
    let answer = [UInt8(ascii: "E")] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + fields
    let listening = descriptor
    Thread {
      let connection = accept(listening, nil, nil)
      var request = [UInt8](repeating: 0, count: 1024)
      _ = read(connection, &request, request.count)
      _ = write(connection, answer, answer.count)
      shutdown(connection, Int32(SHUT_WR))
      // Until the client has closed it: an earlier end could reach it before the answer.
      while read(connection, &request, request.count) > 0 {}
      close(connection)
    }.start()
  }

  deinit {
    close(descriptor)
  }
}
