import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Foundation
import PostgresServers
import Programs
import Synchronization
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// Two servers, payers at work, the primary killed and the standby promoted.
  ///
  /// One round in `make test-all`; `make test-failover` has more, and longer ones.
  @Suite(.serialized, .enabled(if: Effort.isComplete, "make test-all and make test-failover run these"))
  struct FailoverTests {
    private static let rounds = ProcessInfo.processInfo.environment["FAILOVER_ROUNDS"].flatMap { Int($0) } ?? 1

    /// How many payments are acknowledged in each round, at least.
    private static let payments =
      ProcessInfo.processInfo.environment["FAILOVER_PAYMENTS"].flatMap { Int($0) } ?? 200

    /// What the payers were told, and when.
    private final class Ledger: Sendable {
      struct State {
        var acknowledged: [(id: Int64, key: String)] = []
        var sent = 0
        var lastBefore = ContinuousClock.now
        var firstAfter: ContinuousClock.Instant?
        var isPromoted = false
        var isOver = false
      }
      let state = Mutex(State())
    }

    /// Pays until it is over: with a key for each payment, repeated until it is answered; or
    /// without, and repeated like that, too.
    private func payer(_ number: Int, _ address: ServerAddress, _ ledger: Ledger, withKeys: Bool) throws -> Thread {
      let backend = Self.authority(address, ServerLimits(connecting: .seconds(1), answer: .seconds(2)))
      let isAlice = number.isMultiple(of: 2)
      let token = try backend.token(isAlice ? "alice" : "bob", isAlice ? alicePassword : bobPassword)
      return Thread {
        var count = 0
        while !ledger.state.withLock({ $0.isOver }) {
          count += 1
          let key = "\(number)-\(count)"
          ledger.state.withLock { $0.sent += 1 }
          while !ledger.state.withLock({ $0.isOver }) {
            do {
              let id = try pay(backend, token, to: number.isMultiple(of: 2) ? "bob" : "alice", key: key, withKeys)
              let now = ContinuousClock.now
              ledger.state.withLock {
                $0.acknowledged.append((id, key))
                if $0.isPromoted, $0.firstAfter == nil { $0.firstAfter = now }
              }
              break
            } catch {
              // Not answered, or refused by a server that takes no changes now: the same again.
              usleep(20_000)
            }
          }
        }
      }
    }

    private func pay(
      _ authority: PostgresAuthority, _ token: SessionToken, to payee: String, key: String, _ withKey: Bool
    ) throws -> Int64 {
      // The control: what a client without keys does.
      let key = withKey ? try IdempotencyKey(key) : nil
      return try authority.rules.pay(
        PaymentOrder(amount: try Amount(minorUnits: 1), payee: try Username(payee), key: key), token: token
      ).id
    }

    /// A service of its own: a database with connections of its own.
    private static func authority(
      _ address: ServerAddress, _ limits: ServerLimits, confirmed: ConfirmedServer? = nil
    ) -> PostgresAuthority {
      PostgresAuthority(
        PostgresDatabase(address, limits: limits, connections: 2, confirmed: confirmed), cost: .least)
    }

    private struct Result {
      var acknowledged = 0
      var lost = 0
      var doubled = 0
      var pause = Duration.zero
    }

    /// One round: pay, kill or pause the primary `from`, promote `to`, pay, count.
    private func round(
      _ pair: ThrowawayPair, from: String, to: String, withKeys: Bool = true, isPartition: Bool = false
    ) throws -> Result {
      let address = try ServerAddress(
        "host=\(pair.directory)/a,\(pair.directory)/b user=postgres dbname=accounts target_session_attrs=read-write")
      let before = try count(pair, from)
      let ledger = Ledger()
      let threads = try (0..<8).map { try payer($0, address, ledger, withKeys: withKeys) }
      for thread in threads { thread.start() }
      wait(for: Self.payments / 2, ledger)
      pair.tell("\(isPartition ? "pause" : "kill") \(from)")
      pair.tell("promote \(to)")
      let promoted = ContinuousClock.now
      let known = ledger.state.withLock { state in
        state.isPromoted = true
        return state.acknowledged.count
      }
      wait(for: known + Self.payments / 2, ledger)
      let state = ledger.state.withLock { state in
        state.isOver = true
        return (acknowledged: state.acknowledged, sent: state.sent, firstAfter: state.firstAfter)
      }
      for thread in threads { while !thread.isFinished { usleep(10_000) } }
      let final = ledger.state.withLock { (acknowledged: $0.acknowledged, sent: $0.sent) }
      let server = try Databases.connect("host=\(pair.directory)/\(to) user=postgres dbname=accounts")
      var result = Result(acknowledged: final.acknowledged.count)
      result.pause = (state.firstAfter ?? promoted) - promoted
      if withKeys {
        let rows = try server.rows("SELECT id, key FROM auth.transfers WHERE key IS NOT NULL")
        // A number can be used again after an asynchronous failover: number and key together name a
        // payment.
        let present = Set(rows.map { "\($0[0] ?? "") \($0[1] ?? "")" })
        result.lost = final.acknowledged.filter { !present.contains("\($0.id) \($0.key)") }.count
        result.doubled = rows.count - Set(rows.compactMap { $0[1] }).count
        try server.sql("UPDATE auth.transfers SET key = NULL")
      } else {
        // Each payment was to be made once; of the last of each payer nobody knows.
        result.doubled = max(0, try count(pair, to) - before - final.sent)
      }
      return result
    }

    private func count(_ pair: ThrowawayPair, _ name: String) throws -> Int {
      Int(
        try Databases.connect("host=\(pair.directory)/\(name) user=postgres dbname=accounts")
          .rows("SELECT count(*) FROM auth.transfers").first?[0] ?? "") ?? 0
    }

    private func wait(for count: Int, _ ledger: Ledger) {
      while ledger.state.withLock({ $0.acknowledged.count }) < count { usleep(5_000) }
    }

    private func withPair(_ body: (ThrowawayPair) throws -> Void) throws {
      let pair = try ThrowawayPair()
      defer { pair.stop() }
      let superuser = try Databases.connect("host=\(pair.directory)/a user=postgres dbname=postgres")
      try superuser.sql("CREATE DATABASE accounts")
      let address = "host=\(pair.directory)/a user=postgres dbname=accounts"
      try PostgresSchema.install(try ServerAddress(address))
      let authority = Self.authority(try ServerAddress(address), ServerLimits())
      _ = try authority.register(username: "alice", password: alicePassword)
      _ = try authority.register(username: "bob", password: bobPassword)
      try body(pair)
    }

    @Test("with synchronous replication no acknowledged payment is lost or made twice")
    func synchronous() throws {
      try withPair { pair in
        var acknowledged = 0
        var (primary, standby) = ("a", "b")
        for number in 1...Self.rounds {
          pair.tell("sync \(primary) \(standby)")
          let result = try round(pair, from: primary, to: standby)
          print("round \(number): \(result)")
          #expect(result.lost == 0)
          #expect(result.doubled == 0)
          acknowledged += result.acknowledged
          pair.tell("follow \(primary) \(standby)")
          (primary, standby) = (standby, primary)
        }
        print("acknowledged in all rounds: \(acknowledged)")
        #expect(acknowledged >= Self.payments / 2 * 2 * Self.rounds)
      }
    }

    @Test("a server that is killed and started again has every acknowledged payment, once")
    func killed() throws {
      try withPair { pair in
        let ledger = Ledger()
        let address = try ServerAddress("host=\(pair.directory)/a user=postgres dbname=accounts")
        let threads = try (0..<8).map { try payer($0, address, ledger, withKeys: true) }
        for thread in threads { thread.start() }
        for number in 1...3 {
          wait(for: number * 200, ledger)
          pair.tell("kill a")
          pair.tell("start a")
        }
        wait(for: 800, ledger)
        ledger.state.withLock { $0.isOver = true }
        for thread in threads { while !thread.isFinished { usleep(10_000) } }
        let rows = try Databases.connect("host=\(pair.directory)/a user=postgres dbname=accounts")
          .rows("SELECT key FROM auth.transfers WHERE key IS NOT NULL").compactMap { $0[0] }
        #expect(rows.count == Set(rows).count)
        #expect(ledger.state.withLock { state in state.acknowledged.filter { !rows.contains($0.key) }.count } == 0)
      }
    }

    @Test("a partition that heals later loses nothing")
    func partition() throws {
      try withPair { pair in
        pair.tell("sync a b")
        let result = try round(pair, from: "a", to: "b", isPartition: true)
        print("partition: \(result)")
        #expect(result.lost == 0)
        #expect(result.doubled == 0)
        pair.tell("resume a")
      }
    }

    @Test("control: with asynchronous replication payments are lost")
    func asynchronous() throws {
      try withPair { pair in
        var lost = 0
        var (primary, standby) = ("a", "b")
        for _ in 1...5 where lost == 0 {
          // The standby falls behind, as a slow network makes it.
          pair.tell("pause \(standby)")
          let ledger = Ledger()
          let address = try ServerAddress("host=\(pair.directory)/\(primary) user=postgres dbname=accounts")
          let threads = try (0..<4).map { try payer($0, address, ledger, withKeys: true) }
          for thread in threads { thread.start() }
          wait(for: 100, ledger)
          pair.tell("kill \(primary)")
          ledger.state.withLock { $0.isOver = true }
          for thread in threads { while !thread.isFinished { usleep(10_000) } }
          pair.tell("resume \(standby)")
          pair.tell("promote \(standby)")
          let present = Set(
            try Databases.connect("host=\(pair.directory)/\(standby) user=postgres dbname=accounts")
              .rows("SELECT key FROM auth.transfers WHERE key IS NOT NULL").compactMap { $0[0] })
          lost += ledger.state.withLock { state in state.acknowledged.filter { !present.contains($0.key) }.count }
          pair.tell("follow \(primary) \(standby)")
          (primary, standby) = (standby, primary)
        }
        print("asynchronous: \(lost) lost")
        #expect(lost > 0)
      }
    }

    @Test("control: without keys payments are made twice")
    func withoutKeys() throws {
      try withPair { pair in
        var doubled = 0
        var (primary, standby) = ("a", "b")
        for _ in 1...10 where doubled == 0 {
          pair.tell("sync \(primary) \(standby)")
          doubled += try round(pair, from: primary, to: standby, withKeys: false).doubled
          pair.tell("follow \(primary) \(standby)")
          (primary, standby) = (standby, primary)
        }
        print("without keys: \(doubled) doubled")
        #expect(doubled > 0)
      }
    }

    @Test("a service does not take the old primary, which was started again, even when it starts anew itself")
    func oldPrimary() throws {
      try withPair { pair in
        let directory = NSTemporaryDirectory() + "confirmed-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let address = try ServerAddress("host=\(pair.directory)/a,\(pair.directory)/b user=postgres dbname=accounts")
        func service() -> PostgresAuthority {
          Self.authority(
            address, ServerLimits(connecting: .seconds(2), answer: .seconds(2)),
            confirmed: ConfirmedServer(directory: directory))
        }
        let running = service()
        let token = try running.token("alice", alicePassword)
        pair.tell("kill a")
        pair.tell("promote b")
        let order = PaymentOrder(amount: try Amount("1"), payee: try Username("bob"))
        let receipt = try running.rules.pay(order, token: token)
        pair.tell("start a")
        #expect(try service().rules.receipts(token: token).first == receipt)
        pair.tell("kill b")
        for authority in [running, service()] {
          let failure = #expect(throws: BackendError.self) { _ = try authority.rules.receipts(token: token) }
          #expect(failure?.code == "server_outdated")
        }
        pair.tell("start b")
        for authority in [running, service()] {
          #expect(try authority.rules.receipts(token: token).first == receipt)
        }
      }
    }

    @Test("what was ended, used or counted before a failover stays so")
    func kept() throws {
      try withPair { pair in
        pair.tell("sync a b")
        let address = try ServerAddress("host=\(pair.directory)/a,\(pair.directory)/b user=postgres dbname=accounts")
        let authority = Self.authority(address, ServerLimits(connecting: .seconds(2), answer: .seconds(2)))
        let alice = try authority.token("alice", alicePassword)
        let ended = try authority.token("alice", alicePassword)
        _ = try authority.rules.perform(.revoke(ended, .userAsked))
        let codes = try authority.rules.makeRecoveryCodes(token: alice)
        let secret = try authority.rules.beginTwoStep(token: alice)
        let step = secret.code(at: .now())
        try authority.rules.confirmTwoStep(step, token: alice)
        _ = try authority.token("alice", alicePassword, answer: Password(codes[0].text))
        for _ in 0..<3 { _ = try? authority.token("bob", alicePassword) }
        pair.tell("kill a")
        pair.tell("promote b")
        #expect(try authority.lookUp(ended) == nil)
        #expect(try authority.lookUp(alice) != nil)
        for used in [step, Password(codes[0].text)] {
          #expect(throws: BackendError.self) { _ = try authority.token("alice", alicePassword, answer: used) }
        }
        #expect(try authority.rules.account(named: try Username("bob"), token: alice).failedAttempts == 3)
        _ = try authority.token("alice", alicePassword, answer: Password(codes[1].text))
      }
    }
  }
}
