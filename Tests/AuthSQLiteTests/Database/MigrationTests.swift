import AuthBackend
import AuthCore
import AuthSQLite
import DatabaseFiles
import Services
import Testing

@Suite struct MigrationTests {
  /// A database as version 1 made it, with one account in it.
  private func old() -> Workspace {
    let work = Workspace()
    work.run("mkdir -m 700 '\(work.data)'")
    let raw = work.raw
    raw.script(
      "BEGIN; \(Schema.steps[0]); PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1; COMMIT")
    raw.script(
      """
      INSERT INTO accounts(id, name, display_name, role, password_hash, created_at, guesses)
        VALUES (1, 'alice', 'Alice', 'administrator', '$y$j75$x', 5, 3);
      INSERT INTO ledger_accounts VALUES (1, 0)
      """)
    work.run("chmod 600 '\(work.databasePath)'")
    return work
  }

  private func schema(_ raw: DatabaseFile) -> [[String]]? {
    raw.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
  }

  @Test("an old schema goes forward in one transaction, with a private copy of the old one beside it")
  func forward() throws {
    let work = old()
    _ = try work.authority().register(username: "bob", password: bobPassword)
    let fresh = Workspace()
    _ = try fresh.authority().register(username: "bob", password: bobPassword)
    #expect(schema(work.raw) == schema(fresh.raw))
    #expect(work.raw.number("PRAGMA user_version") == Schema.version)
    #expect(
      work.raw.rows("SELECT id, name, length(password_hash) FROM accounts WHERE id = 1") == [["1", "alice", "8"]])
    #expect(work.raw.rows("SELECT length(event_salt) FROM authority") == [["16"]])
    // Nothing is being looked at in a file that an older version left.
    #expect(work.raw.number("SELECT failures FROM accounts WHERE id = 1") == 3)
    let backup = work.databasePath + ".backup-v1"
    #expect(work.mode(backup) == "600")
    #expect(work.file(backup).number("PRAGMA user_version") == 1)
    #expect(work.file(backup).rows("SELECT name FROM accounts") == [["alice"]])
    #expect(work.run("ls '\(work.data)'").contains(".new") == false)
  }

  @Test("a database of schema 4 keeps its settings, and nobody has or needs a second step") func fourth() throws {
    // What is not undone is made twice, and that fails.
    #expect(Schema.version == 8, "undo the new step here and in CrashCase, and then count it")
    let work = Workspace()
    let before = work.authority()
    try before.registerBoth()
    _ = try before.rules.makeRecoveryCodes(token: try before.logIn().token)
    _ = try before.logIn("bob", bobPassword)
    work.raw.script(
      """
      DROP TRIGGER events_stay; ALTER TABLE authority DROP COLUMN archived_through;
      DROP TABLE challenges; ALTER TABLE sessions DROP COLUMN excused_until;
      DROP INDEX accounts_last_login; ALTER TABLE accounts DROP COLUMN last_login_at;
      DROP TABLE two_steps; ALTER TABLE authority DROP COLUMN two_step_required;
      UPDATE authority SET registration_closed = 1; PRAGMA user_version = 4;
      INSERT INTO unknown_names(name_hash, guesses, attempts) VALUES (x'00', 1, 1)
      """)
    let authority = work.authority()
    let session = try authority.logIn()
    let fresh = Workspace()
    try fresh.authority().registerBoth()
    #expect(schema(work.raw) == schema(fresh.raw))
    #expect(work.raw.number("SELECT count(*) FROM unknown_names") == 0)
    let login = "SELECT max(e.at) FROM events e WHERE e.account = a.id AND e.name = 'authn_login_success'"
    #expect(work.raw.number("SELECT last_login_at = (\(login)) FROM accounts a WHERE name = 'bob'") == 1)
    #expect(
      try authority.rules.twoStep(token: session.token)
        == TwoStepState(since: nil, isPending: false, recoveryCodes: 10, isRequired: false))
    #expect(try authority.rules.registration(token: session.token) == .closed)
    #expect(try authority.rules.twoStepPolicy(token: session.token) == .optional)
  }

  @Test("reading upgrades the schema too") func readingMigrates() async throws {
    let work = old()
    await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.revoked))) {
      try await work.authority().resume(SessionToken(bytes: [1]))
    }
    #expect(work.raw.number("PRAGMA user_version") == Schema.version)
  }

  @Test("many processes that find an old schema migrate it once") func concurrently() async throws {
    let work = old()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        let authority = work.authority()
        group.addTask { _ = try? authority.register(username: "u\(number)", password: bobPassword) }
      }
    }
    #expect(work.raw.number("SELECT count(*) FROM accounts") == 9)
    #expect(work.file(work.databasePath + ".backup-v1").number("SELECT count(*) FROM accounts") == 1)
  }

  @Test("a migration that fails changes nothing") func failing() throws {
    let work = old()
    work.raw.script("CREATE TABLE events(in_the_way)")
    let before = schema(work.raw)
    let refusal = failure { try work.authority().register(username: "bob", password: bobPassword) }
    #expect(refusal?.code == "database_corrupt")
    #expect(schema(work.raw) == before && work.raw.number("PRAGMA user_version") == 1)
  }
}
