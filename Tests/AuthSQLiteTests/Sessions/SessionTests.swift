import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Testing
import TextFormat

@Suite struct SessionTests {
  typealias Refusal = AuthorityError<SessionRejection>

  private func ready(_ policy: SessionPolicy = .standard) throws -> (Workspace, LocalAuthority, Grant) {
    let work = Workspace()
    let authority = work.authority(policy: policy)
    try authority.registerBoth()
    return (work, authority, try authority.logIn())
  }

  @Test("activity within a minute writes nothing") func renewIsCheap() async throws {
    let (work, authority, grant) = try ready()
    work.clock.advance(by: .seconds(59))
    let raw = work.raw
    let before = raw.number("PRAGMA data_version")
    #expect(try await authority.renew(grant.token) == grant)
    #expect(raw.number("PRAGMA data_version") == before)
    work.clock.advance(by: .seconds(1))
    #expect(try await authority.renew(grant.token) != grant)
  }

  @Test("a reboot ends a session, whatever the uptime") func reboot() async throws {
    let (work, authority, grant) = try ready()
    work.clock.reboot()
    await #expect(throws: Refusal.rejected(.ended(.rebooted))) { try await authority.resume(grant.token) }
  }

  /// What ends sessions of an account from another one of its sessions, or from an administrator's.
  enum Ending: CaseIterable { case revoking, all, password, disabling }

  @Test(
    "a token that was issued and not used yet opens nothing after its session was ended elsewhere",
    arguments: Ending.allCases)
  func issuedTokenDies(_ ending: Ending) async throws {
    let (work, authority, administrator) = try ready()
    let bob = try authority.logIn("bob", bobPassword)
    work.clock.advance(by: .seconds(1790))
    // As a crash leaves it between keeping the new token and confirming it: the row in use reaches
    // its idle limit, the new token does not.
    let issued = try authority.reauthenticate(bob.token, password: bobPassword, requesting: .standard)
    _ = try await authority.renew(administrator.token)
    work.clock.advance(by: .seconds(20))
    let other = try authority.logIn("bob", bobPassword)
    #expect(try authority.rules.sessions(token: other.token).count == 2)
    switch ending {
    case .revoking: try authority.rules.revokeSession(bob.id, token: other.token)
    case .all: #expect(try authority.rules.endAllSessions(token: other.token) == 2)
    case .password:
      _ = try authority.changePassword(
        from: bobPassword, to: Secret("yet another passphrase"), token: other.token)
    case .disabling:
      let fresh = try authority.reauthenticate(administrator.token, password: alicePassword, requesting: .standard)
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

  @Test("a login may shorten its limits and never lengthen them") func limits() throws {
    let (work, authority, standard) = try ready()
    func asked(_ idle: Duration?, _ absolute: Duration?) throws -> SessionLimits {
      try authority.logIn(
        Credentials.password(username: "alice", password: alicePassword),
        limits: LimitRequest(idle: idle, absolute: absolute)
      ).limits
    }
    let now = try work.clock.now()
    #expect(try asked(.seconds(86400), .seconds(86400 * 365)) == standard.limits)
    let short = try asked(.seconds(60), .seconds(120))
    #expect(short.idle == .at(now.advanced(by: .seconds(60))))
    #expect(short.absolute == .at(now.advanced(by: .seconds(120))) && short.fresh == short.absolute)
    #expect(try asked(.seconds(-1), nil).endReason(at: now) == .expired(.idle))
  }

  @Test("a token that was restored after logout is refused, and its use is recorded with the reason") func replay()
    async throws
  {
    let (work, authority, grant) = try ready()
    try await authority.revoke(grant.token, reason: .userAsked)
    for _ in 1...40 {
      await #expect(throws: Refusal.rejected(.ended(.userAsked))) { try await authority.resume(grant.token) }
    }
    #expect(
      failure {
        try authority.rules.pay(PaymentOrder(amount: try Amount("1"), payee: try Username("bob")), token: grant.token)
      }?.kind == .session(.ended(.userAsked)))
    let uses = work.raw.rows("SELECT DISTINCT detail FROM events WHERE name = 'session_use_after_expire'")
    #expect(uses == [["user_asked"]])
    #expect(work.raw.number("SELECT count(*) FROM events WHERE name = 'session_use_after_expire'") == 16)
  }

  @Test("an expiry is recorded once; later uses of the token are recorded too") func expiryEvent() async throws {
    let (work, authority, grant) = try ready()
    work.clock.advance(by: .seconds(1800))
    for _ in 1...2 { _ = try? await authority.resume(grant.token) }
    let names = try #require(work.raw.rows("SELECT name, detail FROM events WHERE name LIKE 'session%' ORDER BY id"))
    #expect(names == [["session_expired", "expired_idle"], ["session_use_after_expire", "expired_idle"]])
  }

  @Test("a token that was never issued is refused, and revoking it succeeds") func unknown() async throws {
    let (work, authority, _) = try ready()
    let token = SessionToken(bytes: Array(repeating: 7, count: 32))
    await #expect(throws: Refusal.rejected(.ended(.revoked))) { try await authority.resume(token) }
    try await authority.revoke(token, reason: .userAsked)
    #expect(work.raw.number("SELECT count(*) FROM events WHERE name = 'session_unknown'") == 1)
  }

  @Test("tokens are stored as their SHA-256 only") func storedHash() throws {
    let (work, _, grant) = try ready()
    #expect(
      work.raw.rows("SELECT lower(hex(token_hash)) FROM sessions") == [[Hex.text(SHA256.hash(grant.token.bytes))]])
    let plain = grant.token.bytes.map { $0 < 16 ? "\\x0\(String($0, radix: 16))" : "\\x\(String($0, radix: 16))" }
      .joined()
    #expect(work.run("LC_ALL=C grep -caP '\(plain)' '\(work.databasePath)'") == "0")
  }

  @Test("after reauthenticating the old token works until the new one is confirmed") func confirmation()
    async throws
  {
    let (work, authority, grant) = try ready()
    work.clock.advance(by: .seconds(600))
    let renewed = try authority.reauthenticate(grant.token, password: alicePassword, requesting: .standard)
    #expect(renewed.id == grant.id && renewed.token != grant.token && renewed.limits != grant.limits)
    #expect(try await authority.resume(grant.token) == grant)
    try await authority.confirm(renewed.token)
    try await authority.confirm(renewed.token)
    await #expect(throws: Refusal.rejected(.superseded)) { try await authority.resume(grant.token) }
    #expect(try await authority.resume(renewed.token) == renewed)
    #expect(work.raw.number("SELECT count(*) FROM events WHERE name = 'authn_token_reuse'") == 1)
  }

  @Test("the first use of an issued token confirms it and ends the other issued tokens") func firstUse() async throws {
    let (_, authority, grant) = try ready()
    let first = try authority.reauthenticate(grant.token, password: alicePassword, requesting: .standard)
    let second = try authority.reauthenticate(grant.token, password: alicePassword, requesting: .standard)
    _ = try authority.rules.pay(authority.order("1"), token: second.token)
    for token in [grant.token, first.token] {
      await #expect(throws: Refusal.rejected(.superseded)) { try await authority.resume(token) }
    }
    #expect(try await authority.resume(second.token).id == grant.id)
  }

  @Test("logging out with any token of a session ends it", arguments: 0..<3) func revokeAny(which: Int) async throws {
    let (_, authority, old) = try ready()
    let present = try authority.reauthenticate(old.token, password: alicePassword, requesting: .standard)
    try await authority.confirm(present.token)
    let issued = try authority.reauthenticate(present.token, password: alicePassword, requesting: .standard)
    let tokens = [old.token, present.token, issued.token]
    try await authority.revoke(tokens[which], reason: .userAsked)
    for token in tokens {
      await #expect(throws: Refusal.rejected(.ended(.userAsked))) { try await authority.resume(token) }
    }
  }

  @Test("a wrong password on reauthenticating leaves the session as it was") func reauthenticationRefused() async throws
  {
    let (work, authority, grant) = try ready()
    work.clock.advance(by: .seconds(300))
    await #expect(throws: AuthorityError<ReauthenticationRejection>.rejected(.notAccepted)) {
      try await authority.reauthenticate(
        grant.token, with: .password(username: "alice", password: wrongPassword), limits: .standard)
    }
    #expect(try await authority.resume(grant.token) == grant)
    for _ in 1...4 {
      _ = try? await authority.reauthenticate(
        grant.token, with: .password(username: "alice", password: wrongPassword), limits: .standard)
    }
    await #expect(throws: AuthorityError<ReauthenticationRejection>.throttled(.wait(.seconds(30)))) {
      try await authority.reauthenticate(
        grant.token, with: .password(username: "alice", password: alicePassword), limits: .standard)
    }
    #expect(try await authority.resume(grant.token) == grant)
  }

  @Test("old sessions are deleted a few at a time and active ones never, whatever the wall clock says") func purge()
    async throws
  {
    let (work, authority, live) = try ready()
    for _ in 1...20 { try await authority.revoke(try authority.logIn().token, reason: .userAsked) }
    let later = work.authority(wallClock: { WallTime(microseconds: WallTime.now().microseconds + 40 * 3_600_000_000) })
    _ = try later.logIn()
    #expect(work.raw.number("SELECT count(*) FROM sessions") == 6)
    _ = try later.logIn()
    #expect(work.raw.number("SELECT count(*) FROM sessions") == 3)
    #expect(try await authority.resume(live.token) == live)
  }

  @Test("errors and grants print no secrets") func redaction() throws {
    let (_, _, grant) = try ready()
    var text = "\(grant)"
    dump(grant, to: &text)
    #expect(!text.contains("\(grant.token.bytes[0]), \(grant.token.bytes[1]), \(grant.token.bytes[2])"))
  }
}
