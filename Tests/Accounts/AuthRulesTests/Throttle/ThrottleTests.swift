import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Glibc
import Races
import Services
import Synchronization
import Testing
import TextFormat

@Suite(.timeLimit(.minutes(10))) struct ThrottleTests {
  private let boot = BootID(high: 1, low: 1)
  private func at(_ seconds: Int64, boot: BootID? = nil) -> BootInstant {
    BootInstant(boot: boot ?? self.boot, uptime: .seconds(seconds))
  }

  @Test("five attempts are free, then the wait is 30 s and doubles up to an hour") func waits() {
    #expect((0...4).allSatisfy { ThrottlePolicy.wait(after: $0) == nil })
    #expect(
      (5...13).map { ThrottlePolicy.wait(after: $0) }
        == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600].map { .seconds($0) })
    #expect(ThrottlePolicy.wait(after: 99) == .seconds(3600))
  }

  @Test("an attempt waits ten seconds at most for others being checked, whose processes may have been killed")
  func retry() {
    var record = ThrottleRecord()
    for _ in 1...5 { #expect(record.count(at: at(100), mayLock: true) == .allow) }
    #expect(record.count(at: at(100), mayLock: true) == .retry(.wait(.seconds(30))))
    #expect(record.count(at: at(109), mayLock: true) == .retry(.wait(.seconds(21))))
    #expect(record.count(at: at(110), mayLock: true) == .deny(.wait(.seconds(20))))
    record.failures = 5
    #expect(record.count(at: at(100), mayLock: true) == .deny(.wait(.seconds(30))))
  }

  @Test("an attempt that waits for five being checked is allowed when one of them succeeds")
  func heardAfterSuccess() throws {
    let (work, authority) = try Workspace.inhabited()
    // As five processes leave it while they hash: at 1000 s, where the first wait begins.
    work.raw.script(
      """
      UPDATE accounts SET guesses = 5, attempts = 5, wait_until = 1030000000000,
        wait_boot = x'00000000000000010000000000000001' WHERE name = 'bob'
      """)
    let refusal = Mutex<BackendError?>(nil)
    // Threads and not tasks: the attempt waits for ten seconds at most, and tasks of other tests
    // may hold the shared threads for longer.
    TwoThreads.both { side in
      if side == 0 {
        let found = failure { try authority.logIn("bob", bobPassword) }
        refusal.withLock { $0 = found }
      } else {
        // A refusal before its time ends the wait, too.
        while refusal.withLock({ $0 }) == nil,
          work.raw.number("SELECT attempts FROM accounts WHERE name = 'bob'") != 6
        { sched_yield() }
        work.raw.script("UPDATE accounts SET guesses = 0, attempts = 0, wait_until = NULL, wait_boot = NULL")
      }
    }
    #expect(refusal.withLock { $0 } == nil)
    #expect(work.raw.number("SELECT guesses + failures + attempts FROM accounts WHERE name = 'bob'") == 0)
  }

  @Test("simultaneous logins after a raised cost all succeed, though one of them changes the hash")
  func raisingCost() async throws {
    let work = try Workspace.inhabited().work
    let failures = await withTaskGroup(of: BackendError?.self) { group in
      for _ in 0..<24 {
        let authority = work.authority(cost: PasswordCost(count: 2))
        group.addTask { failure { try authority.logIn("bob", bobPassword) } }
      }
      return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
    }
    #expect(failures == [])
    #expect(
      work.raw.rows("SELECT name, count(*) FROM events WHERE name LIKE 'authn%' GROUP BY name ORDER BY name")
        == [["authn_login_success", "24"], ["authn_password_rehash", "1"]])
  }

  @Test("a password that could not be checked does not count as a failure") func unjudged() throws {
    let (work, authority) = try Workspace.inhabited()
    work.raw.script("UPDATE accounts SET password_hash = '*' WHERE name = 'bob'")
    _ = failure { try authority.logIn("nobody", wrongPassword) }
    for _ in 1...7 {
      #expect(code { try authority.logIn("bob", bobPassword) } == "hashing_failed")
    }
    #expect(work.raw.number("SELECT guesses + attempts FROM accounts WHERE name = 'bob'") == 0)
    #expect(work.raw.rows("SELECT guesses, attempts, failures FROM unknown_names") == [["1", "1", "1"]])
  }

  @Test("after a reboot the wait begins again in full") func reboot() {
    var record = ThrottleRecord()
    for _ in 1...5 { _ = record.count(at: at(100), mayLock: true) }
    let other = BootID(high: 2, low: 2)
    #expect(record.count(at: at(5, boot: other), mayLock: true) == .deny(.wait(.seconds(30))))
    #expect(record.count(at: at(34, boot: other), mayLock: true) == .deny(.wait(.seconds(1))))
    #expect(record.count(at: at(35, boot: other), mayLock: true) == .allow)
  }

  @Test("a wait starts again in full when the clock was set back by more than a minute")
  func clockAhead() {
    var record = ThrottleRecord()
    for _ in 1...5 { _ = record.count(at: at(100_000), mayLock: true) }
    record.failures = 5
    #expect(record.count(at: at(99_940), mayLock: true) == .deny(.wait(.seconds(90))))
    #expect(record.count(at: at(100), mayLock: true) == .deny(.wait(.seconds(30))))
    #expect(record.count(at: at(130), mayLock: true) == .allow)
  }

  @Test("numbers of a damaged database do not stop the process") func damagedNumbers() {
    var record = ThrottleRecord()
    (record.guesses, record.attempts, record.wait) = (
      .max, .max, BootInstant(boot: boot, uptime: .nanoseconds(Int64.min))
    )
    #expect(record.count(at: at(100), mayLock: true) == .deny(.locked))
    #expect(record.count(at: at(100), mayLock: false) == .allow)
    #expect(record.guesses == .max && record.attempts == .max)
  }

  @Test("an unknown name gets the same answers at every step") func unknownNames() throws {
    let (work, authority) = try Workspace.inhabited()
    for step in 1...9 {
      let known = failure { try authority.logIn("bob", wrongPassword) }
      let unknown = failure { try authority.logIn("nobody", wrongPassword) }
      let hostile = failure { try authority.logIn("../\u{1B}[2J", wrongPassword) }
      #expect(known == unknown && known == hostile, "step \(step)")
      work.clock.advance(by: .seconds(step == 7 ? 29 : 10))
    }
    #expect(
      work.raw.rows("SELECT detail, count(*) FROM events WHERE name = 'authn_login_fail_max'") == [["5 failures", "1"]])
  }

  @Test("a locked account keeps its sessions, which can pay but not confirm a password")
  func lockedIsNotDisabled() throws {
    let (work, authority) = try Workspace.inhabited()
    let bob = try authority.logIn("bob", bobPassword).token
    work.raw.script("UPDATE accounts SET guesses = 100, attempts = 100")
    _ = try authority.rules.pay(PaymentOrder("1", to: "alice"), token: bob)
    let confirming = failure { try authority.reauthenticate(bob, password: bobPassword) }
    #expect(confirming?.kind == .throttled(.locked))
  }

  @Test("a flood of invented names keeps a bounded number of rows and events, and all that operators did")
  func flood() throws {
    let (work, authority) = try Workspace.inhabited()
    let raw = work.raw
    raw.script(
      """
      WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO unknown_names(id, name_hash, guesses, attempts)
        SELECT CASE WHEN i <= 10 THEN i ELSE i + 990000 END, randomblob(32), 1, 1 FROM n;
      WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO events(id, at, name) SELECT i, i, CASE i WHEN 1 THEN 'authz_admin' ELSE 'authn_login_fail' END FROM n;
      """)
    for name in ["x1", "x2", "x3"] {
      _ = failure { try authority.logIn(name, wrongPassword) }
    }
    #expect(try authority.rules.tidy())
    #expect(raw.rows("SELECT count(*), min(id) FROM unknown_names") == [["10000", "4"]])
    #expect(raw.number("SELECT count(*) FROM events WHERE account IS NULL AND name <> 'authz_admin'") == 10_000)
    #expect(raw.number("SELECT count(*) FROM events WHERE account IS NULL AND name = 'authz_admin'") == 1)
  }

  @Test("all invalid names share one counter, and a name is stored as a hash with a key of the database")
  func namesAreKeyed() throws {
    let (work, authority) = try Workspace.inhabited()
    for typed in ["correct horse battery staple", "!", "", "x1", "X1"] {
      _ = failure { try authority.logIn(typed, wrongPassword) }
    }
    let salt = work.raw.rows("SELECT hex(event_salt) FROM authority")?[0][0] ?? ""
    let key = try #require(Hex.bytes(Array(salt.lowercased().utf8)))
    #expect(key.count == 16)
    func digest(_ text: String) -> String { Hex.text(SHA256.hash(key + Array(text.utf8))).uppercased() }
    #expect(
      work.raw.rows("SELECT hex(name_hash), guesses FROM unknown_names ORDER BY id")
        == [[digest("none"), "3"], [digest("namex1"), "2"]])
  }

  @Test("registering a name deletes failed attempts from before it existed") func registrationClears() throws {
    let authority = Workspace().authority()
    _ = try authority.register(username: "alice", password: alicePassword)
    for _ in 1...6 { _ = failure { try authority.logIn("Bob", wrongPassword) } }
    _ = try authority.register(username: "bob", password: bobPassword)
    _ = try authority.logIn("bob", bobPassword)
  }
}
