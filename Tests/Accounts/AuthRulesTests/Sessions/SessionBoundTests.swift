import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import DatabaseFiles
import Services
import Testing

/// How many sessions an account has at most.
@Suite(.timeLimit(.minutes(10))) struct SessionBoundTests {
  private let work: Workspace
  private let authority: LocalAuthority

  init() throws { (work, authority) = try Workspace.inhabited() }

  private func count(_ condition: String) -> Int64? {
    work.raw.number("SELECT count(*) FROM sessions WHERE account = 1 AND \(condition)")
  }

  /// Copies the session of an account under other names, so that it has so many more.
  private func fill(_ count: Int, ended: Bool = false) throws {
    try work.raw.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO sessions SELECT randomblob(32), 's' || hex(randomblob(8)), account, label, terminal, program, host, boot,
        active, idle_span, absolute_until, absolute_span, fresh_until, created_at - i, active_at, purge_after,
        \(ended ? "'revoked', i" : "NULL, NULL"), 0 FROM (SELECT * FROM sessions WHERE account = 1 LIMIT 1), n
      """)
  }

  @Test("a login beyond the limit ends the oldest session of the account, with its event, and no newer one")
  func live() throws {
    let oldest = try authority.logIn()
    let others = try (1..<SessionBounds.live).map { _ in
      work.advance(by: .seconds(1))
      return try authority.logIn()
    }
    let bob = try authority.logIn("bob", bobPassword)
    #expect(count("ended_reason IS NULL") == 100)
    _ = try authority.rules.profile(token: oldest.token)
    work.advance(by: .seconds(1))
    let newest = try authority.logIn()
    #expect(count("ended_reason IS NULL") == 100)
    #expect(code { try authority.rules.profile(token: oldest.token) } == "session_revoked")
    for grant in others + [newest, bob] { _ = try authority.rules.profile(token: grant.token) }
    let event = try authority.rules.events(.own, Page(matching: "oldest"), token: newest.token).first
    #expect(event?.session == oldest.id && event?.name == "session_ended")
    #expect(event?.detail == "revoked, the oldest of more than 100")
  }

  @Test("a second step keeps the limit, too")
  func twoStep() throws {
    let secret = try authority.turnTwoStepOn()
    try fill(150)
    for _ in 0..<4 {
      _ = try authority.answer(work.wall.nextCode(secret), to: try authority.challenge())
    }
    #expect(count("ended_reason IS NULL") == 100)
  }

  @Test("of ended sessions the newest hundred stay")
  func ended() throws {
    _ = try authority.logIn()
    try fill(150, ended: true)
    for _ in 0..<4 { _ = try authority.logIn() }
    #expect(count("ended_reason IS NOT NULL") == 100)
    #expect(work.raw.number("SELECT min(ended_at) FROM sessions WHERE ended_reason IS NOT NULL") == 51)
  }

  @Test("an expired session that is ended beyond the limit keeps its own reason")
  func expired() throws {
    let first = try authority.logIn()
    try fill(99)
    work.advance(by: .seconds(3600))
    _ = try authority.logIn()
    #expect(work.raw.number("SELECT count(*) FROM events WHERE name = 'session_expired'") == 1)
    #expect(
      work.raw.rows("SELECT DISTINCT ended_reason FROM sessions WHERE ended_at IS NOT NULL") == [["expired_idle"]])
    #expect(code { try authority.rules.profile(token: first.token) } == "session_expired_idle")
  }

  @Test("a session has at most eight other tokens: the newest, of which the last one is accepted")
  func otherTokens() throws {
    var grant = try authority.logIn()
    for _ in 0..<12 {
      grant = try authority.reauthenticate(grant.token, password: alicePassword)
      _ = try authority.rules.profile(token: grant.token)
    }
    #expect(work.raw.number("SELECT count(*) FROM other_tokens") == 8)
    let unused = try (0..<12).map { _ in try authority.reauthenticate(grant.token, password: alicePassword) }
    #expect(work.raw.number("SELECT count(*) FROM other_tokens") == 8)
    _ = try authority.rules.profile(token: unused[11].token)
    #expect(code { try authority.rules.profile(token: unused[10].token) } != nil)
  }

  @Test("the list of sessions is read in pages, each with the place where the last one ended")
  func pages() throws {
    let own = try authority.logIn().token
    try fill(99)
    let all = try authority.rules.sessions(token: own)
    #expect(all.count == 100 && Set(all.map(\.id)).count == 100)
    #expect(all.map(\.createdAt) == all.map(\.createdAt).sorted(by: >))
    var (paged, page) = ([SessionSummary](), SessionsPage(limit: 30))
    while true {
      let rows = try authority.rules.sessions(page, token: own)
      paged += rows
      guard rows.count == 30, let last = rows.last else { break }
      page.after = SessionsPage.Cursor(createdAt: last.createdAt, id: last.id)
    }
    #expect(paged == all)
  }
}
