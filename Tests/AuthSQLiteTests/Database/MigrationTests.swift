import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import DatabaseFiles
import Foundation
import Services
import Testing

@Suite struct MigrationTests {
  /// The database that release 0.1.0 wrote: alice, the administrator, with a session, and bob.
  private func old() throws -> Workspace {
    let work = Workspace()
    work.run("mkdir -m 700 '\(work.data)'")
    let raw = try DatabaseFile(work.databasePath, creating: true)
    try raw.run(String(contentsOfFile: Workspace.repository + "/fixtures/released/0.1.0.sql", encoding: .utf8))
    work.run("chmod 600 '\(work.databasePath)'")
    return work
  }

  private func schema(_ raw: DatabaseFile) -> [[String]]? {
    raw.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
  }

  @Test("the database of release 0.1.0 is upgraded in one transaction, with a private copy of the old one beside it")
  func forward() throws {
    let work = try old()
    _ = try work.authority().register(username: "carol", password: bobPassword)
    let fresh = Workspace()
    _ = try fresh.authority().register(username: "carol", password: bobPassword)
    #expect(schema(work.raw) == schema(fresh.raw))
    #expect(work.raw.number("PRAGMA user_version") == Schema.version)
    #expect(work.raw.number("SELECT count(*) FROM unknown_names") == 0)
    let backup = work.databasePath + ".backup-v3"
    #expect(work.mode(backup) == "600")
    #expect(work.file(backup).number("PRAGMA user_version") == 3)
    #expect(work.file(backup).rows("SELECT name FROM accounts") == [["alice"], ["bob"]])
    #expect(work.run("ls '\(work.data)'").contains(".new") == false)
  }

  @Test("a session, passwords, money and events of release 0.1.0 are still there, and nobody needs a second step")
  func released() async throws {
    let work = try old()
    let session = try #require(work.raw.rows("SELECT active FROM sessions WHERE ended_reason IS NULL")?.first)
    // The session is of the boot in which it was written, and so is the clock of this test.
    #expect(
      work.raw.accepts("UPDATE sessions SET boot = x'00000000000000010000000000000001'"))
    let began = Duration.nanoseconds(try #require(Int64(session[0])))
    work.clock.advance(by: began - work.clock.uptime)
    work.run("mkdir -m 700 '\(work.state)'")
    let file = "\(work.state)/default.session"
    work.run("install -m 600 '\(Workspace.repository)/fixtures/released/0.1.0.session' '\(file)'")
    guard case .token(let token, _) = await work.vault().load() else { throw UnexpectedAnswer() }
    let authority = work.authority()
    let rules = authority.rules
    // A read upgrades the schema too.
    let profile = try rules.profile(token: token)
    #expect(profile.user.displayName == "Ada Löwe" && profile.balance == 88_50)
    #expect(try rules.receipts(token: token).map(\.key) == [nil, "rent", nil])
    #expect(try rules.pay(try PaymentOrder("12.50", key: "rent"), token: token).isRepetition)
    let events = try rules.events(.everyone, token: token)
    #expect(events.first?.session == (try rules.sessions(token: token)).first?.id && events.count == 11)
    #expect(
      try rules.twoStep(token: token) == TwoStepState(since: nil, isPending: false, recoveryCodes: 0, isRequired: false)
    )
    #expect(try rules.registration(token: token) == .open)
    #expect(try rules.twoStepPolicy(token: token) == .optional)
    let login = events.first { $0.account == "bob" && $0.name == "authn_login_successafterfail" }
    let bob = try rules.accounts(AccountsQuery(limit: 9), token: token).first { $0.user.username == "bob" }
    #expect(bob?.lastLoginAt == login?.at && login != nil)
    for (name, password) in [("alice", alicePassword), ("bob", bobPassword)] { _ = try authority.logIn(name, password) }
  }

  @Test("many processes that find an old schema migrate it once") func concurrently() async throws {
    let work = try old()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        let authority = work.authority()
        group.addTask { _ = try? authority.register(username: "u\(number)", password: bobPassword) }
      }
    }
    #expect(work.raw.number("SELECT count(*) FROM accounts") == 10)
    #expect(work.file(work.databasePath + ".backup-v3").number("SELECT count(*) FROM accounts") == 2)
  }

  @Test("a migration that fails changes nothing") func failing() throws {
    let work = try old()
    work.raw.script("CREATE TABLE codes(in_the_way)")
    let before = schema(work.raw)
    let refusal = failure { try work.authority().register(username: "bob", password: bobPassword) }
    #expect(refusal?.code == "database_corrupt")
    #expect(schema(work.raw) == before && work.raw.number("PRAGMA user_version") == 3)
  }
}
