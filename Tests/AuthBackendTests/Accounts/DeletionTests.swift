import AuthBackend
import AuthCore
import AuthSQLite
import DatabaseFiles
import Services
import Testing

@Suite struct DeletionTests {
  @Test("nothing that identifies a deleted user is left, and an expired session of it says so")
  func erased() async throws {
    let work = Workspace()
    let origin = SessionOrigin(terminal: "his-terminal", program: "his-shell", host: "192.0.2.77")
    let authority = LocalAuthority(
      directory: work.data, label: "bobs-laptop", origin: { origin }, clock: work.clock, cost: .least)
    try authority.registerBoth()
    let old = try authority.logIn("bob", bobPassword)
    #expect(try authority.rules.sessions(token: old.token).first?.origin == origin)
    work.clock.advance(by: .seconds(1800))
    let raw = work.raw
    try authority.deleteBob(
      columns: """
        SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'
        """,
      references: """
        SELECT t.name, k."from" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
        WHERE t.type = 'table' AND k."table" = 'accounts'
        """
    ) { try #require(raw.rows($0), "\($0)") }
    await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.accountDeleted))) {
      try await authority.resume(old.token)
    }
    #expect(Books(work.databasePath)?.faults == [])
  }
}
