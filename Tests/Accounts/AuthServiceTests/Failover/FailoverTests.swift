import AuthAccounts
import AuthCore
import Foundation
import PostgresServers
import Programs
import Services
import Synchronization
import Testing
import TextFormat

@testable import AuthService

/// Two database servers and two services, which fail one after another while payments are made.
///
/// `make test-all` causes each fault once; `make test-failover` has longer rounds, the controls,
/// and Patroni.
@Suite(
  "Failover", .serialized,
  .enabled(if: Effort.isComplete && RunningService.hasPostgres, "make test-all and make test-failover run these"),
  .timeLimit(.minutes(240)))
struct FailoverTests {
  private static let ifLong: ConditionTrait = .enabled(
    if: Effort.number("FAILOVER_ROUNDS") != nil, "make test-failover runs it")
  private static let rounds = Effort.number("FAILOVER_ROUNDS") ?? Fault.allCases.count
  /// How many payments are acknowledged in each round, at least.
  private static let payments = Effort.number("FAILOVER_PAYMENTS") ?? 200

  private enum Fault: CaseIterable {
    /// The primary dies, and the standby is promoted.
    case primaryKilled
    /// A service dies, and is started again.
    case serviceKilled
    /// The primary stops answering, as behind a network that is cut, and the standby is promoted.
    case primaryFrozen
    /// A service stops answering for a while.
    case serviceFrozen
    /// The primary dies, and is started again.
    case primaryRestarted
    /// The standby is promoted while the old primary still takes connections.
    case notFenced
  }

  private func cause(_ fault: Fault, _ site: FailoverSite, _ acknowledged: Acknowledged) throws {
    let failures = acknowledged.state.withLock { $0.failures }
    switch fault {
    case .primaryKilled:
      site.pair.tell("kill \(site.primary)")
      site.promote()
    case .primaryFrozen:
      site.pair.tell("pause \(site.primary)")
      site.promote()
    case .notFenced:
      site.promote()
      try acknowledged.wait("no payment was refused") { $0.failures > failures }
      site.pair.tell("kill \(site.standby)")
    case .primaryRestarted:
      site.pair.tell("kill \(site.primary)")
      site.pair.tell("start \(site.primary)")
    case .serviceKilled:
      site.services[0].end(SIGKILL)
      try site.services[0].start()
    case .serviceFrozen:
      kill(site.services[1].pid, SIGSTOP)
      defer { kill(site.services[1].pid, SIGCONT) }
      try acknowledged.wait("no payment was left unanswered") { $0.failures > failures }
    }
  }

  /// Pays, causes a fault, pays on.
  ///
  /// - Returns: What was confirmed.
  private func round(
    _ run: Int, _ site: FailoverSite, withKeys: Bool = true, cause: (Acknowledged) throws -> Void
  ) throws -> Acknowledged {
    let acknowledged = Acknowledged()
    var workers = Workers(site, acknowledged)
    defer { workers.end() }
    for number in 0..<8 { try workers.pay(number, run: run, withKeys: withKeys) }
    if withKeys {
      workers.endSessions(run)
      workers.useCodes(run + 1)
      workers.guess(run, targets: run * 4..<run * 4 + 4)
    }
    try acknowledged.wait("too little was done") { state in
      state.payments.count >= Self.payments / 2 && (!withKeys || state.hasEveryKind)
    }
    try cause(acknowledged)
    let count = acknowledged.state.withLock { $0.payments.count }
    try acknowledged.wait("too few payments after the fault") { $0.payments.count >= count + Self.payments / 2 }
    return acknowledged
  }

  private func lost(_ site: FailoverSite, _ acknowledged: Acknowledged) throws -> Int {
    // A number can be used again after an asynchronous failover: number and key together name a
    // payment.
    let present = Set(try site.rows("SELECT id, key FROM auth.transfers WHERE key IS NOT NULL"))
    return acknowledged.state.withLock { $0.payments }.filter { !present.contains([String($0.id), $0.key]) }.count
  }

  @Test("nothing that a service confirmed is lost, made twice or taken back")
  func synchronous() throws {
    let site = try FailoverSite(targets: Self.rounds * 4)
    for run in 0..<Self.rounds {
      let fault = Fault.allCases[run % Fault.allCases.count]
      site.replicateSynchronously()
      let acknowledged = try round(run, site) { try cause(fault, site, $0) }
      try check("round \(run), \(fault)", acknowledged, site)
    }
  }

  /// What was ended stays ended, what was used stays used, and no count of guesses fell.
  private func check(_ what: String, _ acknowledged: Acknowledged, _ site: FailoverSite) throws {
    let state = acknowledged.state.withLock { $0 }
    let lost = try lost(site, acknowledged)
    let doubled = try site.rows("SELECT key FROM auth.transfers GROUP BY payer, key HAVING count(*) > 1").count
    print(
      "\(what): \(state.payments.count) payments, \(lost) lost, \(doubled) doubled;",
      "\(state.ended.count) sessions ended, \(state.usedCodes.count) codes used, \(state.guesses) guesses")
    #expect(lost == 0 && doubled == 0)
    #expect(try site.rows("SELECT sum(amount) FROM auth.entries") == [["0"]])
    #expect(state.hasEveryKind)
    for (number, token) in state.ended.enumerated() {
      let found = try site.ask(number) { service throws(BackendError) in try service.lookUp(token) }
      try #require(found == nil, "a session that was ended is active")
    }
    let codes = Set(try site.rows("SELECT encode(code_hash, 'hex') FROM auth.codes").map { $0[0] })
    for code in state.usedCodes { #expect(!codes.contains(Hex.text(SHA256.hash(code.canonical)))) }
    let guesses = try site.rows("SELECT name, guesses FROM auth.accounts")
    for (name, count) in state.guesses {
      #expect(guesses.contains { $0[0] == name && (Int($0[1]) ?? 0) >= count }, "\(name): \(count) of \(guesses)")
    }
    let steps = try site.rows(
      "SELECT name FROM auth.accounts a JOIN auth.two_steps t ON t.account = a.id WHERE last_step IS NOT NULL")
    for name in state.secondSteps { #expect(steps.contains([name])) }
  }

  @Test(
    "nothing is lost when Patroni promotes, and when the old leader comes back",
    ifLong,
    .enabled(if: FailoverSite.hasPatroni, "patroni or etcd-server is missing; make test-failover installs them"))
  func managed() throws {
    let site = try FailoverSite(isManaged: true)
    for (run, verbs) in [("kill", "start"), ("freeze", "thaw")].enumerated() {
      let old = site.primary
      // Not after the last round: Patroni 3.0.2, once starved or frozen, may never record it again
      // (its issue 2779).
      try #require(site.pair.tell("follower") == site.standby)
      var outage = Duration.zero
      let acknowledged = try round(run, site) { _ in
        let start = ContinuousClock.now
        site.pair.tell("\(verbs.0) \(old)")
        try site.awaitPromotion()
        outage = start.duration(to: .now)
        // A payment waits for a second copy, which the old leader is.
        site.pair.tell("\(verbs.1) \(old)")
      }
      try #require(site.pair.tell("leader") == site.primary)
      try check("Patroni, \(verbs.0) after \(outage)", acknowledged, site)
    }
  }

  @Test("a service does not take the old primary, which was started again, even when it is started anew", ifLong)
  func oldPrimary() throws {
    let site = try FailoverSite()
    site.replicateSynchronously()
    let token = try site.client(0).logIn("alice", FailoverSite.password).token
    site.pair.tell("kill a")
    site.promote()
    let order = try PaymentOrder("1", key: "after the promotion")
    let receipt = try site.client(0).ask(Operations.pay, order, token)
    site.pair.tell("kill b")
    site.pair.tell("start a")
    #expect(code { try site.client(0).ask(Operations.earlierPayment, order, token) } == "server_outdated")
    site.services[0].end(SIGKILL)
    let unready = #expect(throws: RunningService.NotReady.self) { try site.services[0].start() }
    #expect(unready?.log.contains("is an old primary of timeline 1") == true)
    site.pair.tell("kill a")
    site.pair.tell("start b")
    try site.services[0].start()
    let earlier = try site.client(0).ask(Operations.earlierPayment, order, token)
    #expect(earlier?.id == receipt.id && earlier?.amount == receipt.amount)
  }

  @Test("control: with asynchronous replication payments are lost", ifLong)
  func asynchronous() throws {
    let site = try FailoverSite()
    var lost = 0
    for run in 1...5 where lost == 0 {
      // The standby falls behind, as a slow network makes it.
      site.pair.tell("pause \(site.standby)")
      let acknowledged = Acknowledged()
      var workers = Workers(site, acknowledged)
      for number in 0..<4 { try workers.pay(number, run: run, withKeys: true) }
      try acknowledged.wait("too few payments") { $0.payments.count >= 100 }
      site.pair.tell("kill \(site.primary)")
      workers.end()
      site.pair.tell("resume \(site.standby)")
      site.promote()
      lost = try self.lost(site, acknowledged)
      site.follow()
    }
    print("asynchronous: \(lost) lost")
    #expect(lost > 0)
  }

  @Test("control: without keys payments are made twice", ifLong)
  func withoutKeys() throws {
    let site = try FailoverSite()
    var doubled = 0
    for run in 1...10 where doubled <= 0 {
      site.replicateSynchronously()
      let before = try site.transfers()
      let acknowledged = try round(run, site, withKeys: false) { try cause(.primaryKilled, site, $0) }
      // Each payment was to be made once; of the last one of each payer nobody knows.
      doubled = try site.transfers() - before - acknowledged.state.withLock { $0.begun }
    }
    print("without keys: \(doubled) doubled")
    #expect(doubled > 0)
  }
}
