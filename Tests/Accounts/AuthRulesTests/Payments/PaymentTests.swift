import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthRules
import AuthSQLite
import DatabaseFiles
import Dispatch
import Glibc
import Races
import Services
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct PaymentTests {
  @Test(
    "amounts: the accepted forms",
    arguments: [("12", 1200), ("12.5", 1250), ("12.50", 1250), ("0.01", 1), ("999999999999.99", 99_999_999_999_999)]
      as [(String, Int64)])
  func amounts(text: String, units: Int64) throws {
    #expect(try Amount(text).minorUnits == units)
    #expect(try Amount(Amount(text).description) == Amount(text))
  }

  @Test(
    "amounts: anything else is refused",
    arguments: [
      "", "0", "0.00", "-5", "+5", "1e3", "1.005", "1.", ".5", "01", "00.10", "1,5", " 1", "1 ", "\u{661}\u{662}",
      "NaN",
      "1000000000000", "9999999999999999999", "1.5.5", "0x10", "1\u{0}", String(repeating: "9", count: 1 << 20),
    ])
  func badAmounts(text: String) {
    let refusal = failure { try Amount(text) }
    #expect(refusal?.code == "amount_invalid")
    #expect((refusal?.description.utf8.count ?? 0) < 200)
  }

  @Test(
    "keys: 1 to 128 printable ASCII characters", arguments: ["", "\u{E9}", "a\nb", String(repeating: "k", count: 129)])
  func badKeys(text: String) {
    #expect(code { try IdempotencyKey(text) } == "idempotency_key_invalid")
  }

  @Test("a payment that would overflow a balance is refused") func overflow() throws {
    let (work, authority) = try Workspace.inhabited()
    let token = try authority.logIn().token
    work.raw.script("UPDATE ledger_accounts SET balance = \(Int64.max - 50) WHERE id = 2")
    let order = try PaymentOrder("1")
    #expect(code { try authority.rules.pay(order, token: token) } == "payee_full")
    #expect(work.raw.number("SELECT balance FROM ledger_accounts WHERE id = 2") == Int64.max - 50)
  }

  @Test("sum zero, no forbidden negative, each key at most once, over random schedules", arguments: UInt64(1)...6)
  func property(seed: UInt64) async throws {
    let work = Workspace()
    let first = work.authority()
    let names = try (0..<4).map { try Username("u\($0)") }
    for name in names { _ = try first.register(username: name.canonical, password: bobPassword) }
    let tokens = try names.map { try first.logIn($0.canonical, bobPassword).token }
    let keys = try [nil] + (0..<8).map { try IdempotencyKey("k\($0)") }
    let paid = await withTaskGroup(of: [Receipt].self) { group in
      for worker in 0..<3 {
        let authority = work.authority()
        group.addTask {
          var random = SeededGenerator(seed: seed &* 31 &+ UInt64(worker))
          return (0..<40).compactMap { _ in
            let (payer, payee) = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random))
            let units = Int64.random(in: 1...6000, using: &random)
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            return try? authority.rules.pay(
              PaymentOrder(amount: Amount(minorUnits: units), payee: names[payee], key: key), token: tokens[payer])
          }
        }
      }
      return await group.reduce(into: [Receipt]()) { $0 += $1 }
    }
    #expect(work.raw.number("SELECT count(*) FROM transfers WHERE payer <> 0") == Int64(Set(paid.map(\.id)).count))
    #expect(Set(paid).count == Set(paid.map(\.id)).count)
    #expect(Books(work.databasePath)?.faults == [])
  }

  @MainActor @Test("a payment from the main actor does not block it: the database is used where the store works")
  func place() async throws {
    let work = Workspace()
    let threads = Mutex<Set<pthread_t>>([])
    let authority = work.authority(wallClock: {
      threads.withLock { _ = $0.insert(pthread_self()) }
      return work.wall.wallTime
    })
    try authority.registerBoth()
    let store = SessionStore(authority: authority, vault: InMemoryVault(), clock: ManualClock(at: try work.clock.now()))
    _ = try await store.logIn(.password(username: "bob", password: bobPassword))
    let screen = try #require(store.open(PaymentScreen.self))
    let intent = try screen.prepare(PaymentOrder(amount: Amount("1"), payee: Username("alice")), at: authority)
    threads.withLock { $0 = [] }
    let main = pthread_self()
    _ = try await screen.submit(intent)
    #expect(threads.withLock { !$0.isEmpty && !$0.contains(main) })
  }

  @MainActor @Test("a screen refuses a second payment while one is under way, and makes the first only")
  func oneAtATime() async throws {
    let work = Workspace()
    let (reached, arrival) = AsyncStream.makeStream(of: Void.self)
    let isHeld = Mutex(false)
    let held = DispatchSemaphore(value: 0)
    let authority = work.authority(wallClock: {
      if isHeld.withLock({ held in
        defer { held = false }; return held
      }) {
        arrival.yield()
        held.wait()
      }
      return work.wall.wallTime
    })
    try authority.registerBoth()
    let store = SessionStore(authority: authority, vault: InMemoryVault(), clock: ManualClock(at: try work.clock.now()))
    _ = try await store.logIn(.password(username: "bob", password: bobPassword))
    let screen = try #require(store.open(PaymentScreen.self))
    let order = PaymentOrder(amount: try Amount("1"), payee: try Username("alice"))
    isHeld.withLock { $0 = true }
    async let first = screen.submit(screen.prepare(order, at: authority))
    for await _ in reached { break }
    await #expect(throws: LeaseError<BackendError>.body(.refused(.paymentInProgress))) {
      _ = try await screen.submit(screen.prepare(order, at: authority))
    }
    held.signal()
    _ = try await first
    #expect(work.raw.number("SELECT count(*) FROM transfers WHERE payer <> 0") == 1)
  }
}
