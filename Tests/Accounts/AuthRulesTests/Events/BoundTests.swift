import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import ConcurrencyKit
import Services
import Synchronization
import Testing

/// What one member can store, and how long a session can last.
@Suite(.timeLimit(.minutes(10))) struct BoundTests {
  private let work: Workspace
  private let authority: LocalAuthority

  init() throws { (work, authority) = try Workspace.inhabited() }

  /// Rules for which no time passes, and which let an account make three changes.
  private final class Time: Sendable {
    let now = Locked(ContinuousClock.now)
  }

  private let time = Time()

  private func rules(isShared: Bool = false) -> Rules {
    Rules(
      database: authority.rules.database, policy: .standard, cost: .least, isShared: isShared, writeBurst: 3,
      now: { [time] in time.now.withLock(\.self) })
  }

  @Test("a long detail is stored and shown in part, so that a page of events fits a message")
  func details() throws {
    let token = try authority.logIn().token
    try authority.rules.noteView(of: String(repeating: "ä", count: 30_000), token: token)
    #expect(work.raw.number("SELECT max(length(CAST(detail AS BLOB))) FROM events") == 256)
    work.raw.script("INSERT INTO events(id, at, name, account, detail) VALUES (1, 1, 'x', 1, hex(zeroblob(30000)))")
    let details = try authority.rules.events(.own, Page(limit: 1000), token: token).compactMap(\.detail)
    #expect(details.map(\.utf8.count).max() == 256)
  }

  @Test("a prefix that is longer than every name is not compared: combining marks would take seconds")
  func prefix() {
    #expect(AccountsQuery(namePrefix: String(repeating: "\u{323}\u{301}", count: 15_000), limit: 1).names.from == "~")
  }

  @Test("of many callers those that paused are forgotten, and no other one", .timeLimit(.minutes(10)))
  func callers() {
    // Here each pause is long enough, and there none is.
    let (quick, slow) = (Rates<Int>(burst: 1, perSecond: 1e12), Rates<Int>(burst: 1, perSecond: 1e-12))
    for caller in 0..<60_000 {
      quick.count(caller)
      slow.count(caller)
    }
    #expect(quick.callers <= 10_001)
    #expect(!(0..<60_000).contains { slow.counted($0) != nil })
  }

  @Test("a clock that is set back keeps no caller waiting until its old time, and no refusal is forgotten unreported")
  func pastAndOthers() {
    let time = Mutex(ContinuousClock.now)
    let rates = Rates<Int>(burst: 1, perSecond: 1) { time.withLock { $0 } }
    rates.count(0)
    time.withLock { $0 -= .seconds(3600) }
    #expect(rates.counted(0) == nil)
    time.withLock { $0 += .seconds(60) }
    for caller in 1...20_000 { rates.count(caller) }
    #expect(rates.counted(0) == 1)
  }

  @Test("of many refusals at once 16 events are left, and other sessions have their own")
  func refusals() throws {
    let (rules, bob) = (rules(), try authority.logIn("bob", bobPassword).token)
    for _ in 0..<50 { #expect(code { try rules.events(.everyone, token: bob) } == "not_permitted") }
    let other = try authority.logIn("bob", bobPassword).token
    #expect(code { try rules.registration(token: other) } == "not_permitted")
    let events = work.raw.rows("SELECT detail, count(*) FROM events WHERE name = 'authz_fail' GROUP BY detail")
    #expect(events == [["events", "16"], ["registration", "1"]])
  }

  @Test(
    "of many uses of unknown tokens 16 events are left, the next one has the number of the others, and an ended token has its own"
  )
  func unknownTokens() throws {
    let (rules, bob) = (rules(), try authority.logIn("bob", bobPassword).token)
    for byte in 0..<51 as Range<UInt8> {
      if byte == 50 { time.now.withLock { $0 += .seconds(4) } }
      let unknown = SessionToken(bytes: Array(repeating: byte, count: 32))
      #expect(code { try rules.endAllSessions(token: unknown) } == "session_revoked")
    }
    _ = try rules.endAllSessions(token: bob)
    #expect(throws: BackendError.self) { try rules.profile(token: bob) }
    let events = work.raw.rows(
      "SELECT name, count(*) FROM events WHERE name IN ('session_unknown', 'session_use_after_expire') GROUP BY name")
    #expect(events == [["session_unknown", "17"], ["session_use_after_expire", "1"]])
    let details = work.raw.rows("SELECT detail FROM events WHERE name = 'session_unknown' AND detail IS NOT NULL")
    #expect(details == [["and 34 more since the last event"]])
  }

  @Test("events that concern no account are deleted beyond the newest 10,000, by the thousand, and not by a request")
  func nameless() throws {
    work.raw.script(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12500)
      INSERT INTO events(id, at, name) SELECT i, i, CASE i WHEN 7 THEN 'authz_admin' ELSE 'session_unknown' END FROM n
      """)
    func count() -> Int64? { work.raw.number("SELECT count(*) FROM events WHERE account IS NULL") }
    let shared = rules(isShared: true)
    #expect(code { try shared.profile(token: SessionToken(bytes: [1])) } == "session_revoked")
    #expect(count() == 12_501)
    #expect(try shared.tidy() && count() == 11_501)
    #expect(try shared.tidy() && shared.tidy() && count() == 10_001)
    #expect(try !shared.tidy() && count() == 10_001)
    // What operators did stays.
    #expect(work.raw.number("SELECT min(id) FROM events WHERE account IS NULL") == 7)
  }

  @Test("a session of a clock that was ahead ends when the clock is set back, but not for a minute")
  func clock() throws {
    work.clock.advance(by: .seconds(7200))
    let grant = try authority.logIn()
    work.clock.advance(by: .seconds(-50))
    #expect(try authority.lookUp(grant.token) != nil)
    work.clock.advance(by: .seconds(-50))
    #expect(code { try authority.rules.profile(token: grant.token) } == "session_rebooted")
    work.clock.advance(by: .seconds(100))
    #expect(code { try authority.rules.profile(token: grant.token) } == "session_rebooted")
    #expect(
      work.raw.number("SELECT count(*) FROM events WHERE name = 'session_expired' OR name = 'session_ended'") == 1)
  }

  @Test("sessions that were ended by a clock that was ahead stay ended when it is set back")
  func endedAhead() throws {
    let sessions = try (0..<4).map { _ in try authority.logIn().token }
    work.clock.advance(by: .seconds(3600))
    let own = try authority.logIn().token
    #expect(try authority.rules.endAllSessions(token: own) == 1)
    work.clock.advance(by: .seconds(-3600))
    for token in sessions { #expect(code { try authority.rules.profile(token: token) } == "session_expired_idle") }
    #expect(work.raw.number("SELECT count(*) FROM events WHERE name = 'session_expired'") == 4)
  }

  @Test("an account of a service that makes too many changes must wait, and others need not")
  func rate() throws {
    let shared = rules(isShared: true)
    let (alice, bob) = (try authority.logIn().token, try authority.logIn("bob", bobPassword).token)
    for _ in 0..<3 { _ = try shared.rename(to: "Bob", token: bob) }
    let refusal = failure { try shared.rename(to: "Bob", token: bob) }
    #expect(refusal?.code == "service_busy" && refusal?.values == ["1"])
    #expect(throws: Never.self) { try shared.rename(to: "Alice", token: alice) }
    // Without a service nothing is limited.
    for _ in 0..<5 { _ = try authority.rules.rename(to: "Bob", token: bob) }
  }

  @Test("an account of a service that pays to many unknown names must wait before it can pay to any")
  func unknownPayees() throws {
    let shared = rules(isShared: true)
    let (alice, bob) = (try authority.logIn().token, try authority.logIn("bob", bobPassword).token)
    func pay(_ payee: String, _ token: SessionToken, key: String? = nil) -> String? {
      code { try shared.pay(try PaymentOrder("0.01", to: payee, key: key), token: token) }
    }
    #expect(pay("alice", bob, key: "first") == nil)
    for number in 1...100 { #expect(pay("nobody-\(number)", bob) == "payee_unknown") }
    for payee in ["nobody", "alice"] { #expect(pay(payee, bob) == "service_busy") }
    #expect(pay("alice", bob, key: "first") == nil && pay("bob", alice) == nil)
    time.now.withLock { $0 += .seconds(60) }
    #expect(pay("alice", bob) == nil)
  }
}
