import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Glibc
import Races
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
  /// A workspace with alice and bob in it, and alice logged in by an authority that is gone again.
  private func ready() throws -> (Workspace, Grant) {
    let (work, authority) = try Workspace.inhabited()
    return (work, try authority.logIn())
  }

  @Test("a database that is moved away while it is opened is missing, whichever call of SQLite notices")
  func moved() throws {
    let (work, grant) = try ready()
    let codes = TwoThreads.answers { side in
      (0..<(side == 0 ? 20_000 : 600)).reduce(into: Set<String>()) { codes, _ in
        if side == 0 {
          rename(work.databasePath, work.databasePath + ".away")
          rename(work.databasePath + ".away", work.databasePath)
        } else if let code = code({ try work.authority().rules.receipts(token: grant.token) }) {
          codes.insert(code)
        }
      }
    }
    #expect(codes[1] == ["database_missing"])
  }

  @Test("a database without a table is damaged, and what SQLite quotes of a file is escaped")
  func damagedSchema() throws {
    let (work, grant) = try ready()
    func refusal() throws -> BackendError {
      try #require(failure { try work.authority().rules.receipts(token: grant.token) })
    }
    work.raw.script("PRAGMA foreign_keys = OFF; DROP TABLE entries")
    #expect(try refusal().code == "database_corrupt")
    #expect(try refusal().description.hasSuffix("no such table: entries."))
    work.raw.script(
      """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES ('table', char(27) || '[2J', 'x', 0, 'CREATE NOTHING')
      """)
    #expect(try refusal().code == "database_corrupt")
    #expect(try refusal().description.contains("\\u{1B}[2J"))
  }

  @Test("while another process writes, a read succeeds, and a write is busy after the wait")
  func locked() async throws {
    let (work, grant) = try ready()
    let authority = work.authority(busyWait: .milliseconds(50))
    let other = work.raw
    other.script("BEGIN IMMEDIATE")
    #expect(code { try authority.logIn() } == "database_busy")
    #expect(try await authority.resume(grant.token) == grant)
    other.script("ROLLBACK")
    _ = try authority.logIn()
  }

  @Test("the same authority uses a file again that was replaced")
  func reopening() async throws {
    let (work, grant) = try ready()
    let authority = work.authority()
    _ = try await authority.resume(grant.token)
    work.run("mv '\(work.data)' '\(work.data).away'")
    await #expect(throws: AuthorityError<SessionRejection>.self) { try await authority.resume(grant.token) }
    work.run("cp -a '\(work.data).away' '\(work.data)'")
    #expect(try await authority.resume(grant.token) == grant)
  }
}
