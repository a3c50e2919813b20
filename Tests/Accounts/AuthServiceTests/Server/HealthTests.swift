import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Services
import Testing

@testable import AuthServer
@testable import AuthServiceProgram

@Suite("Health of the service", .timeLimit(.minutes(10)))
struct HealthTests {
  private static let idle: ServiceStatus.Load = (waiting: 0, running: 0, wait: .zero, oldest: .zero)
  private static let unwritable = BackendError.unavailable(.serverFull, "the database")

  private func problems(
    _ counts: ServiceCounts = ServiceCounts(), oldest: Duration = .zero, writeFault: String? = nil,
    requestFault: String? = nil
  ) -> [String] {
    var requests = Self.idle
    requests.oldest = oldest
    let status = ServiceStatus(
      startedAt: .now(), limits: ServiceLimits(databaseThreads: 1, hashThreads: 1), connections: 0, subscribers: 0,
      requests: requests, searches: Self.idle, passwords: Self.idle, counts: counts)
    let found = { HealthProbe.Finding(took: .zero, fault: $0) }
    return Health(status: status, write: found(writeFault), request: found(requestFault)).problems
  }

  private func counts(_ error: BackendError) -> ServiceCounts {
    var counts = ServiceCounts()
    counts.count(error, .writes, of: 1000, took: .zero)
    return counts
  }

  @Test("a fault, and a request that waits for more than 5 s, are problems; what a member may cause is none")
  func problems() {
    #expect(problems(oldest: .seconds(5)) == [])
    #expect(problems(oldest: .seconds(6)) == ["requests wait for 6 s"])
    #expect(problems(writeFault: "disk_full").count == 1)
    #expect(problems(requestFault: "server_silent").count == 1)
    #expect(problems(counts(Self.unwritable)) == ["requests failed in the last two minutes: 1; look at the log"])
    #expect(problems(counts(.unavailable(.serviceBusy, "5"))) == [])
    // Nobody asked the database.
    #expect(counts(.unavailable(.serviceBusy, "5")).unavailable == 0 && counts(Self.unwritable).unavailable == 1)
    #expect(problems(counts(.credentialsNotAccepted)) == [])
  }

  @Test("faults of the last minute and of the one before are counted, and older ones are not")
  func recent() {
    let start = ContinuousClock.now
    var count = RecentCount()
    for second in [1, 2, 70] { count.add(at: start + .seconds(second)) }
    #expect(count.count(at: start + .seconds(110)) == 3)
    #expect(count.count(at: start + .seconds(130)) == 1)
    #expect(count.count(at: start + .seconds(190)) == 0)
  }

  @Test("the busiest users are counted, however many others ask")
  func users() {
    var counts = ServiceCounts()
    for user in 0..<10_000 as Range<UInt32> {
      for asked in [7, user] { counts.count(nil, .reads, of: asked, took: .zero) }
    }
    #expect(counts.users.count <= ServiceCounts.mostUsers)
    #expect(counts.users[7] == 10_001)
  }

  @Test("durations are counted by their upper bounds")
  func durations() {
    var times = Durations()
    for time in [.milliseconds(1), .milliseconds(2), .seconds(10), .seconds(11)] as [Duration] { times.add(time) }
    #expect(times.counts == [1, 1, 0, 0, 0, 0, 0, 1, 1])
    #expect(times.count == 4)
  }

  @Test("the probe of health writes at least as much as a payment, each time")
  func probe() throws {
    let work = Workspace(isShared: true, isServed: true)
    try work.authority().registerBoth()
    let authority = work.authority()
    try authority.holdAlone()
    let token = try authority.logIn("bob", bobPassword).token
    /// How many bytes of the log a write needs, when the log is empty before.
    func written(_ body: () throws -> Void) throws -> Int {
      try authority.rules.database.removeTraces()
      try body()
      return try #require(Int(work.run("stat --format %s '\(work.data)/authority.db-wal'")))
    }
    try authority.rules.probe()
    let order = try PaymentOrder("0.01", to: "alice", key: "once")
    work.clock.advance(by: .seconds(120))
    let payment = try written { _ = try authority.rules.pay(order, token: token) }
    for _ in 0..<3 { #expect(try written { try authority.rules.probe() } >= payment) }
    try authority.endService()
  }

  @Test(
    "health fails while nothing can be written, and while the database is stopped",
    .enabled(if: RunningService.hasPostgres, "postgresql is not installed"))
  func postgres() async throws {
    let site = try await PostgresSite("health")
    try await site.install()
    let service = try RunningService(postgres: site.address)
    let health = "auth-service health --operators \(service.operators)"
    #expect(try await site.run(health).hasPrefix("Healthy."))
    let locked = try await site.run(
      """
      coproc psql --quiet health
      echo 'BEGIN; LOCK TABLE auth.probes; \\echo locked' >&${COPROC[1]}
      read -r line <&${COPROC[0]}
      \(health) --json || echo "status $?"
      """)
    #expect(locked.contains("status 1") && locked.contains("\"database_fault\":\"database_busy\""), "\(locked)")
    #expect(try await site.run(health).hasPrefix("Healthy."))
    let client = try service.client()
    try await site.run("dropdb --force health")
    // Only the log says where it is and what its server said.
    try client.send(ServiceClient.login("alice"))
    let told = try #require(try client.refusal())
    #expect(told.code == "server_unreachable" && told.values.isEmpty)
    #expect(told.asUnavailability.description == "the service or its database has a fault")
    #expect(service.logs("does not exist"))
    let gone = try await site.run(health, exits: 1)
    #expect(gone.contains("a write to the database failed"), "\(gone)")
  }
}
