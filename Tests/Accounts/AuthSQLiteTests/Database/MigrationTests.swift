import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import DatabaseFiles
import Foundation
import Services
import Testing

/// Upgrades by a step that no release has.
@Suite(.timeLimit(.minutes(10))) struct MigrationTests {
  private static let next = Schema.current.adding(
    "ALTER TABLE accounts ADD COLUMN mood TEXT; CREATE TABLE moods(name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;",
    oldest: Schema.current.version + 1)
  private static var backup: String { ".backup-v\(Schema.current.version)" }

  private func schema(_ raw: DatabaseFile) -> [[String]]? {
    raw.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
  }

  @Test("an older database is upgraded in one transaction, with a private copy beside it, and its sessions continue")
  func forward() throws {
    let (work, old) = try Workspace.inhabited()
    let token = try old.logIn().token
    let authority = work.authority(schema: Self.next)
    // A read upgrades too.
    #expect(try authority.rules.profile(token: token).balance == 100_00)
    let fresh = Workspace()
    _ = try fresh.authority(schema: Self.next).register(username: "carol", password: bobPassword)
    #expect(schema(work.raw) == schema(fresh.raw))
    #expect(work.raw.number("PRAGMA user_version") == Self.next.version)
    let backup = work.databasePath + Self.backup
    #expect(work.mode(backup) == "600")
    #expect(work.file(backup).number("PRAGMA user_version") == Schema.current.version)
    #expect(work.file(backup).rows("SELECT name FROM accounts") == [["alice"], ["bob"]])
    #expect(work.run("ls '\(work.data)'").contains(".new") == false)
    _ = try authority.logIn("bob", bobPassword)
  }

  @Test("many processes that find an old schema migrate it once") func concurrently() async throws {
    let (work, _) = try Workspace.inhabited()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        let authority = work.authority(schema: Self.next)
        group.addTask { _ = try? authority.register(username: "u\(number)", password: bobPassword) }
      }
    }
    #expect(work.raw.number("SELECT count(*) FROM accounts") == 10)
    #expect(work.file(work.databasePath + Self.backup).number("SELECT count(*) FROM accounts") == 2)
  }

  @Test("a migration that fails changes nothing") func failing() throws {
    let (work, _) = try Workspace.inhabited()
    work.raw.script("CREATE TABLE moods(in_the_way)")
    let before = schema(work.raw)
    let refusal = failure { try work.authority(schema: Self.next).register(username: "carol", password: bobPassword) }
    #expect(refusal?.code == "database_corrupt")
    #expect(schema(work.raw) == before && work.raw.number("PRAGMA user_version") == Schema.current.version)
  }

  @Test("a check refuses an older schema and changes nothing; an upgrade says whether there was anything to do")
  func operators() throws {
    let (work, _) = try Workspace.inhabited()
    let bytes = work.run("md5sum '\(work.databasePath)'")
    #expect(code { try work.authority(schema: Self.next).check() } == "database_older")
    #expect(work.run("md5sum '\(work.databasePath)'") == bytes)
    #expect(try work.authority(schema: Self.next).upgrade())
    #expect(try !work.authority(schema: Self.next).upgrade())
    #expect(try work.authority(schema: Self.next).check() == [])
  }

  @Test("a number that no step leads from is refused, in words that say what to do", arguments: [2, 3, 8] as [Int64])
  func numbers(version: Int64) throws {
    let (work, _) = try Workspace.inhabited()
    work.raw.script("PRAGMA user_version = \(version)")
    let refusal = failure { try work.authority().logIn() }
    #expect(refusal?.code == "database_newer" && refusal?.values.dropFirst() == ["\(version)", "1"])
    #expect(refusal?.asUnavailability.hint.description.contains("move it away and register again") == true)
    #expect(work.raw.number("PRAGMA user_version") == version)
  }

  @Test(
    "a check lists what differs from new tables",
    arguments: [
      ("DROP INDEX sessions_live", "missing or changed: index sessions_live"),
      ("ALTER TABLE codes ADD COLUMN x INTEGER", "not expected: column codes.x INTEGER"),
      (
        "DROP INDEX accounts_last_login; ALTER TABLE accounts DROP COLUMN last_login_at",
        "missing or changed: column accounts.last_login_at"
      ),
      ("ALTER TABLE transfers RENAME COLUMN made_at TO at", "missing or changed: column transfers.made_at"),
      ("DROP TRIGGER events_stay", "missing or changed: trigger events_stay"),
      ("CREATE TABLE more(x)", "not expected: table more"),
    ])
  func check(change: String, words: String) throws {
    let (work, _) = try Workspace.inhabited()
    #expect(try work.authority().check() == [])
    work.raw.script(change)
    let found = try work.authority().check()
    #expect(found.contains { $0.hasPrefix(words) }, "\(found)")
  }
}
