import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct SessionTests {
  typealias Refusal = AuthorityError<SessionRejection>

  private func ready() throws -> (Workspace, LocalAuthority, Grant) {
    let (work, authority) = try Workspace.inhabited()
    return (work, authority, try authority.logIn())
  }

  @Test("neither a lookup nor activity within a minute writes anything") func cheap() async throws {
    let (work, authority, grant) = try ready()
    let raw = work.raw
    func expectWrite(_ isExpected: Bool, _ body: () async throws -> Void) async throws {
      let before = raw.number("PRAGMA data_version")
      try await body()
      #expect((raw.number("PRAGMA data_version") != before) == isExpected)
    }
    work.clock.advance(by: .seconds(59))
    try await expectWrite(false) {
      let renewed = try await authority.renew(grant.token)
      #expect(renewed == grant)
    }
    work.clock.advance(by: .seconds(1))
    try await expectWrite(true) {
      let renewed = try await authority.renew(grant.token)
      #expect(renewed != grant)
    }
    let issued = try authority.reauthenticate(grant.token, password: alicePassword)
    try await authority.revoke(try authority.logIn().token, reason: .userAsked)
    // The first use of an issued token is a change, and a look is none.
    for token in [grant.token, issued.token, SessionToken(bytes: [7])] {
      try await expectWrite(false) { _ = try authority.lookUp(token) }
    }
    // A fault is told, or whoever asks again after it would wait for the lock a second time.
    raw.script("BEGIN EXCLUSIVE")
    #expect(code { try work.authority(busyWait: .milliseconds(1)).lookUp(grant.token) } == "database_busy")
  }

  /// What ends sessions of an account from another one of its sessions, or from an administrator's.
  enum Ending: CaseIterable { case revoking, all, password, disabling }

  @Test(
    "an issued token that was not used yet is refused after its session was ended elsewhere",
    arguments: Ending.allCases)
  func issuedTokenDies(_ ending: Ending) async throws {
    let (work, authority, administrator) = try ready()
    let bob = try authority.logIn("bob", bobPassword)
    work.clock.advance(by: .seconds(1790))
    // As a crash leaves it between keeping the new token and confirming it: the row in use reaches
    // its idle limit, the new token does not.
    let issued = try authority.reauthenticate(bob.token, password: bobPassword)
    _ = try await authority.renew(administrator.token)
    work.clock.advance(by: .seconds(20))
    let other = try authority.logIn("bob", bobPassword)
    #expect(try authority.rules.sessions(token: other.token).count == 2)
    switch ending {
    case .revoking: try authority.rules.revokeSession(bob.id, token: other.token)
    case .all: #expect(try authority.rules.endAllSessions(token: other.token) == 2)
    case .password:
      _ = try authority.changePassword(from: bobPassword, to: Secret("yet another passphrase"), token: other.token)
    case .disabling:
      let fresh = try authority.reauthenticate(administrator.token, password: alicePassword)
      for disabled in [true, false] {
        _ = try authority.rules.setDisabled(disabled, account: Username("bob"), token: fresh.token)
      }
    }
    await #expect(throws: Refusal.self) { try await authority.resume(issued.token) }
  }

  @Test("the wall clock does not move a limit") func wallClock() async throws {
    let (work, _, grant) = try ready()
    let late = work.authority(wallClock: { WallTime(microseconds: 4_000_000_000_000_000) })
    let early = work.authority(wallClock: { WallTime(microseconds: 0) })
    for authority in [late, early] { #expect(try await authority.resume(grant.token) == grant) }
    _ = try late.logIn()
    #expect(try await early.resume(grant.token) == grant)
    work.clock.advance(by: .seconds(1800))
    await #expect(throws: Refusal.rejected(.ended(.expired(.idle)))) { try await early.resume(grant.token) }
  }

  @Test("the use of a token that is not the present one is recorded with the reason, at most 16 times")
  func uses() async throws {
    let (work, authority, ended) = try ready()
    try await authority.revoke(ended.token, reason: .userAsked)
    for _ in 1...40 { _ = try? await authority.resume(ended.token) }
    let paying = failure { try authority.rules.pay(PaymentOrder("1"), token: ended.token) }
    #expect(paying?.kind == .session(.ended(.userAsked)))
    let replaced = try authority.logIn()
    let renewed = try authority.reauthenticate(replaced.token, password: alicePassword)
    try await authority.confirm(renewed.token)
    for token in [replaced.token, SessionToken(bytes: Array(repeating: 7, count: 32))] {
      await #expect(throws: Refusal.self) { try await authority.resume(token) }
    }
    try await authority.revoke(SessionToken(bytes: [7]), reason: .userAsked)
    work.clock.advance(by: .seconds(1800))
    for _ in 1...2 { _ = try? await authority.resume(renewed.token) }
    let events = work.raw.rows(
      """
      SELECT name, detail, count(*) FROM events
      WHERE name LIKE 'session_use%' OR name IN ('session_expired', 'session_unknown', 'authn_token_reuse')
      GROUP BY name, detail ORDER BY name, detail
      """)
    #expect(
      events == [
        ["authn_token_reuse", "superseded", "1"], ["session_expired", "expired_idle", "1"],
        ["session_unknown", "NULL", "1"],
        ["session_use_after_expire", "expired_idle", "1"], ["session_use_after_expire", "user_asked", "16"],
      ])
  }

  @Test("the first use of an issued token confirms it and ends the other issued tokens") func firstUse() async throws {
    let (work, authority, grant) = try ready()
    work.clock.advance(by: .seconds(60))
    let first = try authority.reauthenticate(grant.token, password: alicePassword)
    let second = try authority.reauthenticate(grant.token, password: alicePassword)
    _ = try authority.rules.pay(PaymentOrder("1"), token: second.token)
    for token in [grant.token, first.token] {
      await #expect(throws: Refusal.rejected(.superseded)) { try await authority.resume(token) }
    }
    #expect(try await authority.resume(second.token) == second && second.id == grant.id)
  }

  @Test("logging out with any token of a session ends it", arguments: 0..<3) func revokeAny(which: Int) async throws {
    let (_, authority, old) = try ready()
    let present = try authority.reauthenticate(old.token, password: alicePassword)
    try await authority.confirm(present.token)
    let issued = try authority.reauthenticate(present.token, password: alicePassword)
    let tokens = [old.token, present.token, issued.token]
    try await authority.revoke(tokens[which], reason: .userAsked)
    for token in tokens {
      await #expect(throws: Refusal.rejected(.ended(.userAsked))) { try await authority.resume(token) }
    }
  }

  @Test("old sessions are deleted a few at a time and active ones never, whatever the wall clock says")
  func purge() async throws {
    let (work, authority, live) = try ready()
    for _ in 1...20 { try await authority.revoke(try authority.logIn().token, reason: .userAsked) }
    func sessions(afterLoginAt hours: Int64) throws -> Int64? {
      let time = WallTime(microseconds: WallTime.now().microseconds + hours * 3_600_000_000)
      _ = try work.authority(wallClock: { time }).logIn()
      return work.raw.number("SELECT count(*) FROM sessions")
    }
    #expect(try sessions(afterLoginAt: 31) == 22)
    #expect(try sessions(afterLoginAt: 40) == 7)
    #expect(try sessions(afterLoginAt: 40) == 4)
    #expect(try await authority.resume(live.token) == live)
  }
}
