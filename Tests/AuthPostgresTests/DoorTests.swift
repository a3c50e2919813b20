import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import PostgresServers
import Testing
import TextFormat

@testable import AuthPostgres

extension PostgresTests {
  /// What the role of the clients can do, and what it cannot.
  @Suite struct DoorTests {
    /// Every function that a client may call, with the types of its parameters: the whole door.
    static let door: Set<String> = [
      "about()", "account(integer,bytea,text)", "accounts(integer,bytea,text,bigint)", "check_name(integer,text)",
      "earlier_payment(integer,bytea,text,bigint,text)", "end_all_sessions(integer,bytea)",
      "events(integer,bytea,boolean,bigint,bigint,bigint,bigint)",
      "finish_login(integer,bytea,bytea,bytea,text,bigint,bigint,text,bytea,text,text,text,bytea)",
      "finish_password_change(integer,bytea,bytea,bytea,bytea,text,bytea)",
      "finish_reauthentication(integer,bytea,bytea,bytea,bytea,bigint,bigint,text,bytea,bytea)",
      "may_change_password(integer,bytea)", "note_view(integer,bytea,text)", "own_setting(integer,bytea)",
      "pay(integer,bytea,text,bigint,text,boolean)", "profile(integer,bytea)", "quick(integer,bytea)",
      "receipts(integer,bytea,bigint,bigint,bigint,bigint)", "register(integer,text,text,text,bytea)",
      "rename(integer,bytea,text)",
      "renew(integer,bytea)", "resume(integer,bytea)", "revoke(integer,bytea,text)",
      "revoke_session(integer,bytea,text)", "sessions(integer,bytea)", "set_disabled(integer,bytea,text,boolean)",
      "setting(integer,text,bytea)", "start_login(integer,bytea,text,bytea,text,bytea,bytea,boolean)",
      "start_reauthentication(integer,bytea,bytea,text,bytea,bytea,boolean)", "unlock(integer,bytea,text)",
      "make_recovery_codes(integer,bytea,bytea)", "recover(integer,text,bytea,text,bytea)",
      "reset_password(integer,bytea,text,bytea)", "reset_password_as_owner(integer,text,bytea)",
      "set_role(integer,bytea,text,text)", "registration(integer,bytea)", "set_registration(integer,bytea,boolean)",
      "register_other(integer,bytea,text,text,text,bytea,bytea)", "delete_account(integer,bytea,text)",
      "two_step(integer,bytea)", "begin_two_step(integer,bytea)", "confirm_two_step(integer,bytea,bytea)",
      "start_two_step_end(integer,bytea,bytea,bytea,boolean)", "finish_two_step_end(integer,bytea,bytea,bytea)",
      "two_step_policy(integer,bytea)", "set_two_step_policy(integer,bytea,boolean)",
    ]

    static let tables: Set<String> = [
      "accounts", "authority", "codes", "entries", "events", "guesses", "hash_costs", "ledger_accounts",
      "other_tokens", "reserved_names", "sessions", "transfers", "two_steps", "unknown_names",
    ]

    @Test("the catalogue is exactly the written list")
    func catalogue() throws {
      let database = try Databases.shared.make()
      let callable = try database.person {
        try $0.rows(
          """
          SELECT replace(p.oid::regprocedure::text, 'authcore.', '') FROM pg_proc p
          WHERE p.pronamespace = 'authcore'::regnamespace AND has_function_privilege(p.oid, 'EXECUTE')
          """)
      }
      let others = Set(callable.compactMap { $0[0] }).symmetricDifference(Self.door)
      #expect(others == [], "in the catalogue or in `door`, and not in both")
      let relations = try database.superuser {
        try $0.rows(
          """
          SELECT c.relname FROM pg_class c
          WHERE c.relnamespace = 'authcore'::regnamespace AND c.relkind = 'r' AND c.relname <> 'test_clock'
          """)
      }
      #expect(Set(relations.compactMap { $0[0] }).symmetricDifference(Self.tables) == [])
      #expect(ServerSchema().tableNames.sorted() == Self.tables.sorted())
      let rights = try database.person {
        try $0.rows(
          """
          SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'authcore'::regnamespace AND c.relkind = 'r' AND (
            has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
          """)
      }
      #expect(rights.isEmpty)
    }

    @Test("the schema's own check finds nothing, and finds what was changed")
    func check() throws {
      let database = try Databases.shared.make(isChanged: true)
      let owner = SchemaOwner(try database.address(user: "postgres"), cost: .least)
      // The template has a clock that tests move, in the place of one function.
      #expect(try owner.check() == ["the function clock_ns was changed"])
      try database.superuser {
        try $0.sql(
          """
          GRANT SELECT ON authcore.accounts TO auth_cli;
          GRANT EXECUTE ON FUNCTION authcore.move TO PUBLIC;
          DROP FUNCTION authcore.unlock;
          """)
      }
      let findings = try owner.check()
      #expect(findings.contains("auth_cli has rights on accounts"))
      #expect(findings.contains("everybody may call the function move"))
      #expect(findings.contains("the function unlock is missing"))
    }

    @Test(
      "a client cannot go around the door",
      arguments: [
        "SELECT * FROM authcore.accounts", "INSERT INTO authcore.ledger_accounts VALUES (99, 5)",
        "UPDATE authcore.accounts SET role = 'administrator'", "DELETE FROM authcore.events",
        "TRUNCATE authcore.sessions", "SELECT secret FROM authcore.authority",
        "SELECT authcore.move(1, 2, 100, NULL, false, 0)", "SELECT authcore.clock_ns()",
        "SELECT secret FROM authcore.two_steps", "SELECT authcore.use_code(1, 'x', true)",
        "SELECT authcore.totp('x', 1)", "SELECT authcore.end_session('x', 'revoked', NULL)",
        "SELECT authcore.made_up_setting('x')",
        "CREATE TEMP TABLE t(x int)", "CREATE TABLE authcore.t(x int)", "CREATE TABLE public.t(x int)",
        "CREATE FUNCTION authcore.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "SET ROLE auth_cli_owner",
        "GRANT auth_cli_owner TO person", "ALTER FUNCTION authcore.pay OWNER TO person",
        "ALTER ROLE person SUPERUSER", "COPY authcore.accounts TO STDOUT", "LOCK TABLE authcore.accounts",
        "SELECT nextval('authcore.accounts_id_seq')",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
      ])
    func around(attack: String) throws {
      let database = try Databases.shared.make()
      // One session of somebody with more rights, to be attacked.
      try database.superuser { superuser in
        _ = try superuser.rows("SELECT 1")
        #expect(throws: ServerFault.self) { try database.person { _ = try $0.rows(attack) } }
      }
    }

    private static let setting = "$y$j75$aaaaaaaaaaaaaaaaaaaaa."

    /// Registers an account whose proof is known without hashing.
    private func register(_ name: String, in database: TestDatabase) throws {
      try database.person {
        _ = try $0.rows(
          "SELECT * FROM authcore.register(1, $1, $1, $2, sha256($3::bytea))",
          [name, Self.setting, "right"])
      }
    }

    private func start(_ ticket: String, _ proof: String, code: String? = nil) -> String {
      "SELECT code FROM authcore.start_login(1, '\\x\(ticket)', 'alice', NULL, '\(Self.setting)', sha256('\(proof)'), \(code.map { "sha256('\($0)')" } ?? "NULL"), false)"
    }

    private func finish(_ ticket: String, _ proof: String, code: String? = nil) -> String {
      "SELECT code FROM authcore.finish_login(1, '\\x\(ticket)', '\(proof)', sha256('t\(ticket)'), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \(code.map { "'\($0)'" } ?? "NULL"))"
    }

    private func ticket(_ number: Int) -> String { String(repeating: "0", count: 30) + String(10 + number) }

    private func guesses(_ database: TestDatabase) throws -> String? {
      try database.superuser { try $0.rows("SELECT guesses FROM authcore.accounts WHERE name = 'alice'") }.first?[0]
    }

    @Test("a guess inside a transaction that is rolled back is never judged")
    func rollback() throws {
      let database = try Databases.shared.make()
      try register("alice", in: database)
      let ticket = ticket(1)
      try database.person { person in
        // Judged in the transaction that counted it: refused.
        try person.sql("BEGIN")
        #expect(try person.rows(start(ticket, "right")) == [["hear"]])
        #expect(
          throws: ServerFault.refused(
            state: ServerState.sameTransaction, "a guess is judged by another transaction than the one that counted it")
        ) {
          _ = try person.rows(finish(ticket, "right"))
        }
        try person.sql("ROLLBACK")
        // Counted by a transaction that never was: there is no ticket.
        #expect(try person.rows(finish(ticket, "right")) == [["ticket_unknown"]])
        // The same with a savepoint.
        try person.sql("BEGIN; SAVEPOINT s")
        _ = try person.rows(start(ticket, "right"))
        try person.sql("ROLLBACK TO s")
        #expect(try person.rows(finish(ticket, "right")) == [["ticket_unknown"]])
        try person.sql("COMMIT")
        // Held open: nobody else can judge it either.
        try person.sql("BEGIN")
        _ = try person.rows(start(ticket, "right"))
        let elsewhere = try database.person { try $0.rows(finish(ticket, "right")) }
        #expect(elsewhere == [["ticket_unknown"]])
        try person.sql("ROLLBACK")
      }
      #expect(try guesses(database) == "0")
    }

    @Test("rolling back a judgement leaves its guess counted, and judges no other")
    func rolledBackJudgement() throws {
      let database = try Databases.shared.make()
      try register("alice", in: database)
      let ticket = ticket(2)
      try database.person { person in
        #expect(try person.rows(start(ticket, "wrong")) == [["hear"]])
        for _ in 0..<3 {
          try person.sql("BEGIN")
          #expect(try person.rows(finish(ticket, "wrong")) == [["credentials"]])
          try person.sql("ROLLBACK")
        }
        // Another proof than the one that was counted is wrong, whatever it is.
        #expect(try person.rows(finish(ticket, "right")) == [["credentials"]])
      }
      #expect(try guesses(database) == "1")
    }

    @Test("a guess judges one code, whatever is rolled back, and a refused one tells nothing of the password")
    func codeOfGuess() throws {
      let database = try Databases.shared.make()
      try database.freeze(at: 1_800_000_000_000_000_000)
      try register("alice", in: database)
      let secret = Array("12345678901234567890".utf8)
      try database.superuser {
        try $0.sql(
          "INSERT INTO authcore.two_steps VALUES (1, '12345678901234567890', \(1_800_000_000 / 30 - 2), 0)")
      }
      let right = String(decoding: TOTP(secret: secret).code(at: 1_800_000_000 / 30), as: UTF8.self)
      try database.person { person in
        let first = ticket(4)
        #expect(try person.rows(start(first, "right", code: "000000")) == [["hear"]])
        for code in ["000000", right] {
          try person.sql("BEGIN")
          #expect(try person.rows(finish(first, "right", code: code)) == [["challenged"]])
          try person.sql("ROLLBACK")
        }
        // Neither a guess without a code judges one, nor one with a code none.
        let second = ticket(5)
        _ = try person.rows(start(second, "right"))
        #expect(try person.rows(finish(second, "right", code: right)) == [["challenged"]])
        #expect(try person.rows(finish(first, "right")) == [["challenged"]])
        #expect(try guesses(database) == "2")
        // A wrong password, and the code uses nothing up.
        let third = ticket(6)
        _ = try person.rows(start(third, "wrong", code: right))
        #expect(try person.rows(finish(third, "wrong", code: right)) == [["credentials"]])
        // Judged in the transaction that counted it: refused.
        try person.sql("BEGIN")
        _ = try person.rows(start(ticket(7), "right", code: right))
        #expect(throws: ServerFault.self) { _ = try person.rows(finish(ticket(7), "right", code: right)) }
        try person.sql("ROLLBACK")
        let fourth = ticket(8)
        _ = try person.rows(start(fourth, "right", code: right))
        // Rolled back, it opens nothing and is not used; the same call again opens.
        try person.sql("BEGIN")
        #expect(try person.rows(finish(fourth, "right", code: right)) == [["ok"]])
        try person.sql("ROLLBACK")
        for _ in 0..<2 { #expect(try person.rows(finish(fourth, "right", code: right)) == [["ok"]]) }
        let fifth = ticket(9)
        _ = try person.rows(start(fifth, "right", code: right))
        #expect(try person.rows(finish(fifth, "right", code: right)) == [["challenged"]])
      }
    }

    @Test("the server computes SHA-1, its keyed hash and codes as the standards have them")
    func hashing() throws {
      let database = try Databases.shared.make()
      try database.superuser { superuser in
        try superuser.sql("SET search_path = authcore")
        // FIPS 180-4 examples, and RFC 2202, test cases 1, 2, 3 and 6.
        for (call, hash) in [
          ("sha1('')", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
          ("sha1('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
          (
            "sha1('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
          ),
          (
            "hmac_sha1('Hi There', decode(repeat('0b', 20), 'hex'))", "b617318655057264e28bc0b6fb378c8ef146be00"
          ),
          ("hmac_sha1('what do ya want for nothing?', 'Jefe')", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
          (
            "hmac_sha1(decode(repeat('dd', 50), 'hex'), decode(repeat('aa', 20), 'hex'))",
            "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
          ),
          (
            "hmac_sha1('Test Using Larger Than Block-Size Key - Hash Key First', decode(repeat('aa', 80), 'hex'))",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
          ),
        ] {
          let rows = try superuser.rows("SELECT encode(authcore.\(call), 'hex')")
          #expect(rows == [[hash]], "\(call)")
        }
        // RFC 6238, appendix B, the last six of eight digits; and every length of a padded block.
        for (time, code) in [
          (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
          (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] {
          let rows = try superuser.rows("SELECT authcore.totp('12345678901234567890', \(time / 30))")
          #expect(rows == [[code]], "\(time)")
        }
        let rows = try superuser.rows(
          "SELECT encode(authcore.sha1(decode(repeat('a5', n), 'hex')), 'hex') FROM generate_series(0, 130) n ORDER BY n"
        )
        let expected = (0...130).map { Hex.text(SHA1.hash([UInt8](repeating: 0xA5, count: $0))) }
        #expect(rows.map { $0[0] } == expected)
      }
    }

    @Test("ten guesses at once are heard five times at most")
    func countsParallel() async throws {
      let database = try Databases.shared.make()
      try register("alice", in: database)
      let codes = try await withThrowingTaskGroup(of: String?.self) { group in
        for number in 0..<10 {
          let (start, finish) = (start(ticket(number), "wrong\(number)"), finish(ticket(number), "wrong\(number)"))
          group.addTask {
            try database.person { person in
              let code = try person.rows(start).first?[0]
              if code == "hear" { _ = try person.rows(finish) }
              return code
            }
          }
        }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(codes.filter { $0 == "hear" }.count == 5)
      #expect(try guesses(database) == "5")
    }

    @Test("no isolation level but read committed is accepted, and no read-only transaction")
    func isolation() throws {
      let database = try Databases.shared.make()
      // What a function answers about its parameters comes after that.
      let calls = Self.calls(version: "1") { "NULL::\($0)" }
      try database.person { person in
        for call in calls {
          for (mode, state) in [
            ("ISOLATION LEVEL REPEATABLE READ", ServerState.wrongIsolation),
            ("ISOLATION LEVEL SERIALIZABLE", ServerState.wrongIsolation), ("READ ONLY", ServerState.readOnly),
          ] {
            try person.sql("BEGIN \(mode)")
            let fault = #expect(throws: ServerFault.self) { _ = try person.rows("SELECT * FROM authcore.\(call)") }
            guard case .refused(state, _)? = fault else {
              Issue.record("\(call) in \(mode): \(String(describing: fault))")
              return
            }
            try person.sql("ROLLBACK")
          }
        }
      }
    }

    /// Calls of the functions of the door, with a value for each parameter after the version.
    private static func calls(version: String, _ value: (_ type: Substring) -> String) -> [String] {
      door.filter { $0 != "about()" }.map { signature in
        let types = signature.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ",").dropFirst()
        return signature.prefix { $0 != "(" } + "(" + ([version] + types.map(value)).joined(separator: ", ") + ")"
      }
    }

    private func state(_ person: ServerConnection, _ call: String) -> String? {
      do throws(ServerFault) {
        _ = try person.run("SELECT * FROM authcore.\(call)", [], until: .now + .seconds(60))
        return nil
      } catch {
        guard case .refused(let state, _) = error else { return "\(error)" }
        return state
      }
    }

    @Test("no function takes a version that is missing or another one")
    func versions() throws {
      let database = try Databases.shared.make()
      try database.person { person in
        for version in ["NULL", "0", "2"] {
          for call in Self.calls(version: version, { "NULL::\($0)" }) {
            #expect(state(person, call) == ServerState.otherVersion, "\(call)")
          }
        }
      }
    }

    @Test("no function looks at a text that is longer than any request")
    func lengths() throws {
      let database = try Databases.shared.make()
      let calls = Self.calls(version: "1") { type in
        type == "text" || type == "bytea" ? "repeat('a', 10000)::\(type)" : "NULL::\(type)"
      }
      try database.person { person in
        for call in calls where call.contains("repeat") && !call.hasPrefix("quick(") {
          let fault = #expect(throws: ServerFault.self, "\(call)") {
            _ = try person.rows("SELECT * FROM authcore.\(call)")
          }
          #expect(fault == .refused(state: ServerState.malformed, "malformed length"), "\(call)")
        }
      }
    }

    @Test("a new hash of a cost that no program makes is refused, so unknown names never answer with it")
    func costs() throws {
      let database = try Databases.shared.make()
      try register("alice", in: database)
      let salt = "aaaaaaaaaaaaaaaaaaaaa."
      try database.person { person in
        _ = try person.rows(start(ticket(1), "right"))
        #expect(try person.rows(finish(ticket(1), "right")) == [["ok"]])
        let token = "sha256('t\(ticket(1))')"
        for prefix in ["$y$jFT$", "$y$jzT$", "$y$j/.$", "$y$jCT$"] {
          let verifier = "'\(prefix)\(salt)', sha256('x')"
          _ = try person.rows(
            "SELECT * FROM authcore.start_reauthentication(1, '\\x\(ticket(2))', \(token), '\(Self.setting)', sha256('right'), NULL, false)"
          )
          for call in [
            "register(1, 'bob', 'Bob', \(verifier))", "recover(1, 'alice', 'none', \(verifier))",
            "register_other(1, \(token), 'bob', 'Bob', \(verifier), sha256('code'))",
            "finish_password_change(1, '\\x\(ticket(2))', \(token), 'right', sha256('new'), \(verifier))",
            "finish_reauthentication(1, '\\x\(ticket(2))', \(token), 'right', sha256('new'), NULL, NULL, \(verifier), NULL)",
          ] {
            #expect(state(person, call) == ServerState.malformed, "\(call)")
          }
        }
        let costs = try database.superuser { try $0.rows("SELECT prefix FROM authcore.hash_costs") }
        #expect(costs == [[PasswordCost.least.prefix]])
      }
      // The program that is shipped makes one cost.
      #expect(PasswordCost.standard.takenFromClients == .standard ... .standard)
    }

    @Test("what is no name is counted as one, and a name as a hash with a key of the database")
    func unknownNames() throws {
      let database = try Databases.shared.make()
      let backend = try database.backend()
      try backend.registerBoth()
      for typed in ["correct horse battery staple", "!", "", "nobody", "NOBODY"] {
        #expect(throws: BackendError.self) {
          _ = try backend.logIn(Credentials(username: typed, password: bobPassword), limits: .standard)
        }
      }
      // A client of our own making, too.
      try database.person { person in
        for name in ["'correct horse'", "NULL", "repeat('a', 65)"] {
          let setting =
            try person.rows("SELECT setting FROM authcore.setting(1, \(name), sha256('secret'))")[0][0] ?? ""
          let rows = try person.rows(
            "SELECT code FROM authcore.start_login(1, substr(sha256(coalesce(\(name), '')::bytea), 1, 16), \(name), sha256('secret'), '\(setting)', sha256('x'), NULL, false)"
          )
          #expect(rows[0][0] != "setting_changed")
        }
      }
      let rows = try database.superuser {
        try $0.rows(
          """
          SELECT u.guesses, u.name_hash IN (sha256('nobody'), sha256('correct horse battery staple'), sha256('secret')),
            u.name_hash = sha256(i.secret || 'namenobody'), u.name_hash = sha256(i.secret || 'none')
          FROM authcore.unknown_names u, authcore.authority i ORDER BY u.id
          """)
      }
      #expect(rows == [["5", "f", "f", "t"], ["2", "f", "t", "f"]])
    }

    @Test("a member's refused calls leave a bounded number of events")
    func refusals() throws {
      let database = try Databases.shared.make()
      let backend = try database.backend()
      try backend.registerBoth()
      let bob = try backend.logIn(Credentials(username: "bob", password: bobPassword), limits: .standard)
      let secret = Hex.text(ServerToken(bob.token).secret)
      func count(_ name: EventName) throws -> [[String?]] {
        try database.superuser {
          try $0.rows("SELECT count(*) FROM authcore.events WHERE account = 2 AND name = '\(name.rawValue)'")
        }
      }
      try database.person { person in
        try person.sql(
          "DO $$ BEGIN FOR i IN 1..150 LOOP PERFORM authcore.accounts(1, '\\x\(secret)', '', 1); END LOOP; END $$")
      }
      #expect(try count(.authorizationFailed) == [["\(SessionPolicy.notedRefusals)"]])
      // A login that is finished begins anew; one that is not, and asks for a code, does not.
      _ = try backend.logIn(Credentials(username: "bob", password: bobPassword), limits: .standard)
      _ = try? backend.accounts(AccountsQuery(limit: 50), token: bob.token)
      #expect(try count(.authorizationFailed) == [["\(SessionPolicy.notedRefusals + 1)"]])
      try database.superuser {
        try $0.sql(
          """
          INSERT INTO authcore.two_steps VALUES (2, '12345678901234567890', 1, 0);
          UPDATE authcore.accounts SET noted_refusals = \(SessionPolicy.notedRefusals - 1) WHERE id = 2;
          """)
      }
      for _ in 0..<3 {
        _ = try? backend.logIn(Credentials(username: "bob", password: bobPassword), limits: .standard)
      }
      #expect(try count(.twoStepAsked) == [["1"]])
    }

    @Test("a queue of notices that another client has filled keeps no session from ending")
    func fullQueue() throws {
      // A server of its own, because the queue belongs to the server.
      let server = try ThrowawayServer()
      defer { server.stop() }
      let superuser = try Databases.connect(server.address("postgres"))
      try SchemaOwner(try ServerAddress(server.address("postgres")), cost: .least).installEmpty()
      try superuser.sql("CREATE ROLE person LOGIN; GRANT auth_cli TO person")
      let address = server.address("postgres", user: "person")
      let backend = PostgresBackend(try ServerAddress(address), cost: .least)
      try backend.registerBoth()
      let announce = try #require(ServerSchema().functions.first { $0.name == "announce" })
      // The same with a bound that a test can reach.
      let lower = announce.creation.replacingOccurrences(of: "\(ServerSchema.fullestQueue)", with: "0.00001")
      try #require(lower != announce.creation)
      try superuser.sql(lower)
      // It reads nothing while it is in a transaction, and what it has not read stays in the queue.
      let listener = try Databases.connect(address)
      try listener.sql("LISTEN authcore")
      try listener.sql("BEGIN")
      func heard() throws -> Bool {
        try listener.sql("COMMIT")
        let found = listener.takeNotices()
        try listener.sql("BEGIN")
        return found
      }
      func logOut() throws {
        let token = try backend.logIn(Credentials(username: "bob", password: bobPassword), limits: .standard).token
        let secret = Hex.text(ServerToken(token).secret)
        let rows = try Databases.connect(address).rows(
          "SELECT code FROM authcore.revoke(1, '\\x\(secret)', 'user_asked')")
        #expect(rows == [["ok"]])
        #expect(try backend.lookUp(token) == nil)
      }
      try logOut()
      #expect(try heard())
      try Databases.connect(address).sql(
        "DO $$ BEGIN FOR i IN 1..40 LOOP PERFORM pg_notify('flood', repeat('x', 7000) || i); END LOOP; END $$")
      try logOut()
      #expect(try !heard())
      try logOut()
      #expect(try heard())
    }

    @Test("a cursor that was opened before does not see an ended session live")
    func oldCursor() throws {
      let database = try Databases.shared.make()
      try register("alice", in: database)
      let ticket = ticket(3)
      try database.person { person in
        _ = try person.rows(start(ticket, "right"))
        #expect(try person.rows(finish(ticket, "right")) == [["ok"]])
        try person.sql(
          "BEGIN; DECLARE c CURSOR FOR SELECT code FROM authcore.resume(1, sha256('t\(ticket)'))")
        try database.person { other in
          _ = try other.rows("SELECT * FROM authcore.revoke(1, sha256('t\(ticket)'), 'user_asked')")
        }
        #expect(try person.rows("FETCH c") == [["session_user_asked"]])
      }
    }

    @Test(
      "what no client of ours sends is refused, and moves nothing",
      arguments: [
        "pay(1, sha256('t'), 'bob', -100, NULL, false)", "pay(1, sha256('t'), 'bob', 0, NULL, false)",
        "pay(1, sha256('t'), NULL, 5, NULL, false)", "pay(1, 'short', 'bob', 5, NULL, false)",
        "pay(1, sha256('t'), 'bob', 5, '', true)", "register(1, 'Bob', 'x', '\(setting)', sha256('x'))",
        "register(1, 'bob', 'x', 'plain', sha256('x'))", "register(1, 'bob', '', '\(setting)', sha256('x'))",
        "register(1, 'bob', 'x', '\(setting)', 'short')", "revoke(1, sha256('t'), 'because')",
        "resume(1, NULL)", "set_disabled(1, sha256('t'), 'bob', NULL)",
        "events(1, sha256('t'), NULL, NULL, NULL, NULL, 1)", "confirm_two_step(1, sha256('t'), NULL)",
        "confirm_two_step(1, sha256('t'), convert_to(repeat('1', 65), 'UTF8'))",
        "set_two_step_policy(1, sha256('t'), NULL)",
        "start_login(1, sha256('t'), 'bob', NULL, '\(setting)', sha256('x'), 'short', false)",
      ])
    func malformed(call: String) throws {
      let database = try Databases.shared.make()
      let fault = #expect(throws: ServerFault.self) {
        try database.person { _ = try $0.rows("SELECT * FROM authcore.\(call)") }
      }
      guard case .refused(ServerState.malformed, _)? = fault else {
        Issue.record("\(String(describing: fault))")
        return
      }
    }

    @Test("an administrator's functions refuse a member, and write it down")
    func administrator() throws {
      let database = try Databases.shared.make()
      let backend = try database.backend()
      try backend.registerBoth()
      let bob = try backend.logIn(Credentials(username: "bob", password: bobPassword), limits: .standard)
      for attempt in [
        { _ = try backend.accounts(AccountsQuery(limit: 50), token: bob.token) },
        { _ = try backend.setDisabled(true, account: try Username("alice"), token: bob.token) },
        { _ = try backend.unlock(account: try Username("alice"), token: bob.token) },
        { _ = try backend.events(.everyone, token: bob.token) },
      ] as [() throws -> Void] {
        let failure = #expect(throws: BackendError.self) { try attempt() }
        #expect(failure?.kind == .notPermitted)
      }
      #expect(try backend.events(token: bob.token).filter { $0.name == "authz_fail" }.count == 4)
    }

    @Test("settings of unknown names are valid, stable, and of costs that accounts have")
    func madeUp() throws {
      let database = try Databases.shared.make()
      let backend = try database.backend()
      try backend.registerBoth()
      let letters = try database.person { person in
        try (0..<40).map { number -> String in
          let rows = try person.rows("SELECT setting FROM authcore.setting(1, $1, NULL)", ["nobody\(number)"])
          let again = try person.rows("SELECT setting FROM authcore.setting(1, $1, NULL)", ["nobody\(number)"])
          #expect(rows == again)
          let setting = try #require(rows.first?[0])
          // libcrypt answers an invalid setting with a failure, which would tell that there is no
          // such name.
          _ = try PasswordHasher(cost: .least).hash(nil, setting: setting)
          return String(setting.prefix(7))
        }
      }
      #expect(Set(letters) == [PasswordCost.least.prefix])
      // Half of the accounts at a higher cost: about half of the unknown names, too.
      try database.superuser { try $0.sql("INSERT INTO authcore.hash_costs VALUES ('$y$jBT$', 2)") }
      let mixed = try database.person { person in
        try (0..<200).map {
          try person.rows("SELECT left(setting, 7) FROM authcore.setting(1, $1, NULL)", ["nobody\($0)"]).first?[0]
        }
      }
      #expect((60...140).contains(mixed.filter { $0 == "$y$jBT$" }.count))
    }
  }
}
