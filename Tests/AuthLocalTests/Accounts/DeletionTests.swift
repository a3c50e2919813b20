import AuthBackend
import AuthCore
import AuthLocal
import Testing

@Suite struct DeletionTests {
  @Test("nothing that identifies a deleted user is left, and an expired session of it says so")
  func erased() async throws {
    let work = Workspace()
    let authority = LocalAuthority(
      directory: work.data, label: "bobs-laptop",
      origin: { SessionOrigin(terminal: "pts/7", program: "his-shell", host: "192.0.2.77") }, clock: work.clock,
      cost: .least)
    try authority.registerBoth()
    let old = try authority.logIn("bob", bobPassword)
    work.clock.advance(by: .seconds(1800))
    let bob = try authority.logIn("bob", bobPassword)
    _ = try authority.rename(to: "Robert Tables", token: bob.token)
    _ = try authority.makeRecoveryCodes(token: bob.token)
    let summary = try #require(try authority.sessions(token: bob.token).first)
    #expect(summary.origin == SessionOrigin(terminal: "pts/7", program: "his-shell", host: "192.0.2.77"))
    let order = try authority.order("100", to: "alice", key: "bobs-secret-plan")
    _ = try authority.pay(order, token: bob.token)
    try authority.deleteAccount(token: bob.token)
    for token in [old.token, bob.token] {
      await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.accountDeleted))) {
        try await authority.resume(token)
      }
    }
    let rows = """
      SELECT name, display_name FROM accounts UNION ALL SELECT label, terminal || program || host FROM sessions
      UNION ALL SELECT key, NULL FROM transfers UNION ALL SELECT detail, session FROM events
      """
    let text = try #require(work.raw.rows(rows)).flatMap(\.self).joined(separator: " ")
    for word in ["bob", "Robert", "pts/7", "192.0.2.77", "his-shell", "secret-plan"] {
      #expect(!text.contains(word), "\(word) in \(text)")
    }
    #expect(work.raw.number("SELECT count(*) FROM codes") == 0)
    work.expectBalancedBooks()
  }
}
