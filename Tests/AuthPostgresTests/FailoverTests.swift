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
      let backend = PostgresBackend(
        address, limits: ServerLimits(connecting: .seconds(1), answer: .seconds(2), repeating: .seconds(4)),
        cost: .least)
      let token = try backend.logIn(
        Credentials(
          username: number.isMultiple(of: 2) ? "alice" : "bob",
          password: number.isMultiple(of: 2) ? alicePassword : bobPassword),
        limits: .standard
      ).token
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
      _ backend: PostgresBackend, _ token: SessionToken, to payee: String, key: String, _ withKey: Bool
    ) throws -> Int64 {
      let amount = try Amount(minorUnits: 1)
      if withKey {
        return try backend.pay(
          PaymentOrder(amount: amount, payee: try Username(payee), key: try IdempotencyKey(key)), token: token
        ).id
      }
      // The control: what a client without keys does. It marks the payment for the count only.
      let answers = try backend.server.call(
        "pay", [.bytes(ServerToken(token).secret), .text(payee), .number(1), .text(nil), .flag(false)], .once)
      guard let id = answers.first?.number(3) else { throw BackendError.notFresh }
      return id
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
        "host=\(pair.directory)/a,\(pair.directory)/b user=person dbname=accounts target_session_attrs=read-write")
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
        let rows = try server.rows("SELECT id, key FROM authcore.transfers WHERE key IS NOT NULL")
        // A number can be used again after an asynchronous failover: number and key together name a
        // payment.
        let present = Set(rows.map { "\($0[0] ?? "") \($0[1] ?? "")" })
        result.lost = final.acknowledged.filter { !present.contains("\($0.id) \($0.key)") }.count
        result.doubled = rows.count - Set(rows.compactMap { $0[1] }).count
        try server.sql("UPDATE authcore.transfers SET key = NULL")
      } else {
        // Each payment was to be made once; of the last of each payer nobody knows.
        result.doubled = max(0, try count(pair, to) - before - final.sent)
      }
      return result
    }

    private func count(_ pair: ThrowawayPair, _ name: String) throws -> Int {
      Int(
        try Databases.connect("host=\(pair.directory)/\(name) user=postgres dbname=accounts")
          .rows("SELECT count(*) FROM authcore.transfers").first?[0] ?? "") ?? 0
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
      try SchemaOwner(try ServerAddress(address), cost: .least).installEmpty()
      try superuser.sql("CREATE ROLE person LOGIN; GRANT auth_cli TO person")
      let backend = PostgresBackend(
        try ServerAddress("host=\(pair.directory)/a user=person dbname=accounts"), cost: .least)
      try backend.registerBoth()
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
        let address = try ServerAddress("host=\(pair.directory)/a user=person dbname=accounts")
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
          .rows("SELECT key FROM authcore.transfers WHERE key IS NOT NULL").compactMap { $0[0] }
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
          let address = try ServerAddress("host=\(pair.directory)/\(primary) user=person dbname=accounts")
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
              .rows("SELECT key FROM authcore.transfers WHERE key IS NOT NULL").compactMap { $0[0] })
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

    @Test("a client that saw the new primary does not take the old one, which was started again")
    func oldPrimary() throws {
      try withPair { pair in
        let backend = PostgresBackend(
          try ServerAddress("host=\(pair.directory)/a,\(pair.directory)/b user=person dbname=accounts"),
          limits: ServerLimits(connecting: .seconds(2), answer: .seconds(2), repeating: .seconds(4)), cost: .least)
        let credentials = Credentials(username: "alice", password: alicePassword)
        let token = try backend.logIn(credentials, limits: .standard).token
        pair.tell("kill a")
        pair.tell("promote b")
        _ = try backend.pay(
          PaymentOrder(amount: try Amount("1"), payee: try Username("bob")), token: token)
        pair.tell("start a")
        pair.tell("kill b")
        let failure = #expect(throws: BackendError.self) { _ = try backend.receipts(token: token) }
        #expect(failure?.code == "server_outdated")
        // With both there, the new one is used.
        pair.tell("start b")
        for _ in 0..<4 {
          pair.tell("kill b")
          pair.tell("start b")
          #expect(try backend.receipts(token: token).first?.amount == Amount("1"))
        }
      }
    }

    /// The record that the program keeps.
    private struct FileRecord: TimelineRecord {
      let file: TimelineFile
      var path: String { file.path }
      func newest(of cluster: String) -> UInt32? { file.newest(of: cluster) }
      func keep(_ timeline: UInt32, of cluster: String) { file.keep(timeline, of: cluster) }
    }

    @Test("a command that starts anew does not take the old primary either, if an earlier one saw the new primary")
    func oldPrimaryAndNewCommands() throws {
      try withPair { pair in
        let directory = NSTemporaryDirectory() + "timelines-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // Each command has a backend of its own, as each process has.
        func command<Answer>(_ body: (PostgresBackend) throws -> Answer) throws -> Answer {
          try body(
            PostgresBackend(
              try ServerAddress("host=\(pair.directory)/a,\(pair.directory)/b user=person dbname=accounts"),
              limits: ServerLimits(connecting: .seconds(2), answer: .seconds(2), repeating: .seconds(4)), cost: .least,
              timelines: FileRecord(file: TimelineFile(directory: directory))))
        }
        let credentials = Credentials(username: "alice", password: alicePassword)
        let token = try command { try $0.logIn(credentials, limits: .standard).token }
        pair.tell("kill a")
        pair.tell("promote b")
        _ = try command {
          try $0.pay(PaymentOrder(amount: try Amount("1"), payee: try Username("bob")), token: token)
        }
        pair.tell("start a")
        #expect(try command { try $0.receipts(token: token).first?.amount } == Amount("1"))
        pair.tell("kill b")
        let failure = #expect(throws: BackendError.self) { _ = try command { try $0.receipts(token: token) } }
        #expect(failure?.code == "server_outdated")
        pair.tell("start b")
        #expect(try command { try $0.receipts(token: token).first?.amount } == Amount("1"))
      }
    }

    @Test("trap: a cancelled wait for replication is not taken for success")
    func cancelled() throws {
      try withPair { pair in
        pair.tell("sync a b")
        pair.tell("pause b")
        let backend = PostgresBackend(
          try ServerAddress("host=\(pair.directory)/a user=person dbname=accounts"),
          limits: ServerLimits(answer: .seconds(3), repeating: .seconds(3)), cost: .least)
        let directory = pair.directory
        let canceller = Thread {
          guard let superuser = try? Databases.connect("host=\(directory)/a user=postgres dbname=postgres") else {
            return
          }
          for _ in 0..<200 {
            _ = try? superuser.rows(
              "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'person' AND wait_event = 'SyncRep'")
            usleep(20_000)
          }
        }
        canceller.start()
        let failure = #expect(throws: BackendError.self) {
          _ = try backend.register(username: "carol", password: Password("paper lantern river orchard"))
        }
        #expect(failure?.code == "outcome_unknown")
        pair.tell("resume b")
        while !canceller.isFinished { usleep(10_000) }
      }
    }
  }
}
