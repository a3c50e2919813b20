import AuthBackend
import AuthCore
import AuthSQLite
import PostgresServers
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Making, taking forward and removing the schema, by a role that is no superuser.
  @Suite(.serialized) struct SchemaTests {
    /// A server of its own, because roles belong to the server.
    private func withServer(_ body: (ThrowawayServer, SchemaOwner) throws -> Void) throws {
      let server = try ThrowawayServer()
      defer { server.stop() }
      let superuser = try Databases.connect(server.address("postgres"))
      try superuser.sql("CREATE ROLE keeper LOGIN CREATEROLE; CREATE ROLE carol LOGIN")
      try superuser.sql("CREATE DATABASE accounts OWNER keeper")
      try superuser.sql("CREATE DATABASE \"other \"\"accounts\" OWNER keeper")
      try superuser.sql("CREATE DATABASE first OWNER keeper")
      try body(server, SchemaOwner(try ServerAddress(server.address("accounts", user: "keeper")), cost: .least))
    }

    private func after(_ version: [Int]) -> [Int] { [version[0], version[1] + 1] }

    /// All columns of all tables, with their types.
    private func columns(_ database: String, _ server: ThrowawayServer) throws -> [[String?]] {
      try Databases.connect(server.address(database)).rows(
        """
        SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
        WHERE table_schema = 'authcore' ORDER BY 1, 2
        """)
    }

    @Test("install makes the schema and the administrator; check finds nothing; remove leaves nothing")
    func lifecycle() throws {
      try withServer { server, owner in
        #expect(try owner.look().version == nil)
        let short = #expect(throws: BackendError.self) {
          _ = try owner.install(administrator: "alice", password: Password("short"))
        }
        #expect(short?.code == "password_too_short")
        #expect(try owner.look().version == nil)
        _ = try owner.install(administrator: "alice", password: alicePassword)
        #expect(try owner.check() == [])
        let again = #expect(throws: BackendError.self) {
          _ = try owner.install(administrator: "alice", password: alicePassword)
        }
        #expect(again?.code == "schema_exists")
        #expect(try owner.upgrade() == nil)

        let superuser = try Databases.connect(server.address("postgres"))
        try superuser.sql("GRANT auth_cli TO carol")
        let backend = PostgresBackend(try ServerAddress(server.address("accounts", user: "carol")), cost: .least)
        let alice = try backend.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard)
        #expect(alice.user.role == .administrator)
        #expect(try backend.register(username: "bob", password: bobPassword).role == .member)
        // Whoever made the schema has no right on what is in it.
        let keeper = try Databases.connect(server.address("accounts", user: "keeper"))
        #expect(throws: ServerFault.self) { _ = try keeper.rows("SELECT * FROM authcore.accounts") }

        // Another database of the same server, with a name that must be quoted, has the same roles.
        let other = SchemaOwner(
          try ServerAddress("host=\(server.directory) user=keeper dbname='other \"accounts'"), cost: .least)
        _ = try other.install(administrator: "alice", password: alicePassword)
        #expect(try other.check() == [])

        let wrong = #expect(throws: BackendError.self) { _ = try owner.remove(confirmation: "acounts") }
        #expect(wrong?.code == "confirmation_wrong")
        #expect(try owner.remove(confirmation: "accounts") != nil)
        #expect(try owner.look().version == nil)
        #expect(try other.check() == [])
        #expect(try other.remove(confirmation: "other \"accounts") != nil)
        #expect(
          try superuser.rows("SELECT rolname FROM pg_roles WHERE rolname LIKE 'auth\\_cli%'").isEmpty)
        #expect(try other.remove(confirmation: "other \"accounts") == nil)
      }
    }

    @Test("upgrade takes the schema to a made-up next version while an old client works")
    func upgrade() throws {
      try withServer { server, owner in
        _ = try owner.install(administrator: "alice", password: alicePassword)
        try Databases.connect(server.address("postgres")).sql("GRANT auth_cli TO carol")
        let address = try ServerAddress(server.address("accounts", user: "carol"))
        let old = PostgresBackend(address, cost: .least)
        let token = try old.logIn(Credentials(username: "alice", password: alicePassword), limits: .standard).token
        let next = ServerSchema(
          steps: ServerSchema.steps + [
            .init(
              version: after(ServerSchema().version), changes: "ALTER TABLE accounts ADD COLUMN shoe_size integer;",
              functions: [
                .open(
                  "shoe_size", "p_token bytea", returns: "integer",
                  "BEGIN RETURN (SELECT a.shoe_size FROM accounts a LIMIT 1); END")
              ])
          ])
        let upgrader = SchemaOwner(owner.address, schema: next, limits: owner.limits, cost: .least)
        #expect(try owner.check() == [])
        #expect(try upgrader.check() != [])
        #expect(try upgrader.upgrade() != nil)
        #expect(try upgrader.check() == [])
        #expect(try upgrader.upgrade() == nil)
        // What is installed now is what the older schema became.
        let other = "'other \"accounts'"
        let installer = SchemaOwner(
          try ServerAddress(server.address(other, user: "keeper")), schema: next, limits: owner.limits, cost: .least)
        _ = try installer.install(administrator: "alice", password: alicePassword)
        #expect(try installer.check() == [])
        #expect(try columns(other, server) == columns("accounts", server))
        // So is the first version with an account. Its tables have not all that the functions use.
        try Databases.connect(server.address("postgres")).sql("ALTER ROLE keeper SET check_function_bodies = off")
        let ofFirst = try ServerAddress(server.address("first", user: "keeper"))
        try SchemaOwner(ofFirst, schema: ServerSchema(steps: []), limits: owner.limits, cost: .least).installEmpty()
        try Databases.connect(server.address("first")).sql(
          """
          INSERT INTO authcore.accounts(name, display_name, role, setting, verifier, created_at)
            VALUES ('alice', 'Alice', 'administrator', 'none', sha256('none'), 0)
          """)
        let latest = SchemaOwner(ofFirst, schema: next, limits: owner.limits, cost: .least)
        #expect(try latest.upgrade() != nil)
        #expect(try latest.check() == [])
        #expect(try columns("first", server) == columns("accounts", server))
        // The client from before goes on with its connection, and makes new ones.
        #expect(try old.lookUp(token) != nil)
        #expect(try PostgresBackend(address, cost: .least).lookUp(token) != nil)
        // The program from before does not take a newer schema back.
        #expect(throws: BackendError.self) { _ = try owner.upgrade() }
        // A step that fails changes nothing.
        let broken = ServerSchema(
          steps: next.steps + [.init(version: after(next.version), changes: "DROP TABLE none;", functions: [])])
        let breaker = SchemaOwner(owner.address, schema: broken, limits: owner.limits, cost: .least)
        #expect(throws: BackendError.self) { _ = try breaker.upgrade() }
        #expect(try upgrader.check() == [])
      }
    }

    @Test("a role that does not own the database is told what is needed, and changes nothing")
    func stranger() throws {
      try withServer { server, owner in
        let stranger = SchemaOwner(try ServerAddress(server.address("accounts", user: "carol")), cost: .least)
        let failure = #expect(throws: BackendError.self) {
          _ = try stranger.install(administrator: "alice", password: alicePassword)
        }
        #expect(failure?.code == "role_not_permitted")
        #expect(try owner.look().version == nil)
        #expect(
          try Databases.connect(server.address("postgres"))
            .rows("SELECT rolname FROM pg_roles WHERE rolname LIKE 'auth\\_cli%'").isEmpty)
      }
    }
  }
}
