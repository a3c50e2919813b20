import AuthBackend
import AuthCore
import AuthSQLite
import Glibc
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
          cost: .least,
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
        try SchemaOwner(ofFirst, schema: ServerSchema(cost: .least, steps: []), limits: owner.limits, cost: .least)
          .installEmpty()
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
          cost: .least,
          steps: next.steps + [.init(version: after(next.version), changes: "DROP TABLE none;", functions: [])])
        let breaker = SchemaOwner(owner.address, schema: broken, limits: owner.limits, cost: .least)
        #expect(throws: BackendError.self) { _ = try breaker.upgrade() }
        #expect(try upgrader.check() == [])
      }
    }

    /// Functions and an operator that write down which superuser called them.
    private static let spies = """
      CREATE SCHEMA spies; GRANT ALL ON SCHEMA spies TO PUBLIC;
      CREATE TABLE spies.seen(what text); GRANT ALL ON spies.seen TO PUBLIC;
      CREATE FUNCTION spies.spy(what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) current_user) THEN
          INSERT INTO spies.seen VALUES (what);
        END IF;
      END $$;
      CREATE FUNCTION spies.same(name, name) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        PERFORM spies.spy('operator');
        RETURN pg_catalog.nameeq($1, $2);
      END $$;
      CREATE OPERATOR spies.= (LEFTARG = name, RIGHTARG = name, FUNCTION = spies.same);
      CREATE FUNCTION spies.current_database() RETURNS name LANGUAGE plpgsql AS $$ BEGIN
        PERFORM spies.spy('current_database');
        RETURN pg_catalog.current_database();
      END $$;
      """

    @Test("a superuser's schema commands run nothing that the owner of the database put in their way")
    func spies() throws {
      try withServer { server, _ in
        let superuser = try Databases.connect(server.address("postgres"))
        let keeper = try Databases.connect(server.address("accounts", user: "keeper"))
        try keeper.sql(Self.spies)
        try superuser.sql("ALTER DATABASE accounts SET search_path = spies, pg_catalog, public")
        let owner = SchemaOwner(try ServerAddress(server.address("accounts")), cost: .least)
        let directory = "/tmp/spies-\(UInt32.random(in: 0 ... .max))"
        let local = LocalAuthority(directory: directory, cost: .least)
        defer { _ = system("rm -rf \(directory)") }
        _ = try local.register(username: "alice", password: alicePassword)
        _ = try local.export { (rows) throws(BackendError) in try owner.importing(rows) }
        #expect(try owner.check() == [])
        _ = try owner.remove(confirmation: "accounts")
        _ = try owner.install(administrator: "alice", password: alicePassword)
        #expect(try owner.check() == [])
        _ = try owner.remove(confirmation: "accounts")
        #expect(try keeper.rows("SELECT what FROM spies.seen").isEmpty)

        // A schema of our name that is another user's: nothing in it is called.
        try keeper.sql(
          """
          CREATE SCHEMA authcore;
          CREATE FUNCTION authcore.about(OUT major integer, OUT minor integer) LANGUAGE plpgsql AS $$ BEGIN
            PERFORM spies.spy('about');
            major := 1; minor := 0;
          END $$;
          CREATE VIEW authcore.accounts AS SELECT spies.same('a', 'b');
          """)
        for command in [
          { _ = try owner.check() }, { _ = try owner.upgrade() }, { _ = try owner.remove(confirmation: "accounts") },
          { _ = try owner.install(administrator: "alice", password: alicePassword) },
          { _ = try local.export { (rows) throws(BackendError) in try owner.importing(rows) } },
        ] as [() throws -> Void] {
          let failure = #expect(throws: BackendError.self) { try command() }
          #expect(failure?.code == "schema_foreign")
        }
        #expect(try keeper.rows("SELECT what FROM spies.seen").isEmpty)
        #expect(try keeper.rows("SELECT 1 FROM pg_namespace WHERE nspname = 'authcore'") == [["1"]])
      }
    }

    @Test("a database that does not say how its bytes are read is refused, and nothing is made in it")
    func encoding() throws {
      try withServer { server, _ in
        let superuser = try Databases.connect(server.address("postgres"))
        try superuser.sql("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
        let address = try ServerAddress(server.address("ascii"))
        let owner = SchemaOwner(address, cost: .least)
        let failure = #expect(throws: BackendError.self) {
          _ = try owner.install(administrator: "alice", password: alicePassword)
        }
        #expect(failure?.code == "server_encoding")
        #expect(failure?.description.contains("SQL_ASCII") == true)
        #expect(try owner.look().version == nil)
        let client = #expect(throws: BackendError.self) {
          _ = try PostgresBackend(address, cost: .least).lookUp(SessionToken(bytes: [1]))
        }
        #expect(client?.code == "server_encoding")
        // The hint is a command that makes one that works.
        #expect(failure?.hint.contains("createdb --template=template0 --encoding=UTF8 --locale=C NAME") == true)
        try superuser.sql("CREATE DATABASE other TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
        let other = SchemaOwner(try ServerAddress(server.address("other")), cost: .least)
        _ = try other.install(administrator: "alice", password: alicePassword)
        #expect(try other.check() == [])
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
