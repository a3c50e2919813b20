import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthDevice
import AuthSQLite
import PostgresServers
import Synchronization
import Testing

@testable import AuthCoreTesting
@testable import AuthPostgres

extension PostgresTests {
  @Suite struct ContractTests {
    @Test("the PostgreSQL backend keeps the contract of every authority", arguments: AuthorityContract.checks)
    func authority(check: AuthorityContract.Check) async throws {
      let database = try Databases.shared.make()
      let violation = await check.run(on: try database.authoritySubject(try database.backend()))
      #expect(violation == nil)
    }

    @Test(
      "the PostgreSQL backend keeps the rules of a second step of every authority",
      arguments: AuthorityContract.challenges)
    func secondStep(check: AuthorityContract.Check) async throws {
      let database = try Databases.shared.make()
      // A challenge is in the memory of the client, so both clocks are moved.
      let clock = MovedClock()
      // A check takes the database away, and an answer that is lost then is not waited for long.
      let backend = PostgresBackend(
        try database.address(), limits: ServerLimits(repeating: .seconds(1)), cost: .least, clock: clock)
      let subject = try database.authoritySubject(backend, clock: clock)
      let violation = await check.run(on: subject)
      #expect(violation == nil)
    }

    @Test(
      "the PostgreSQL backend keeps the contract of every backend, but has no index of logins",
      arguments: BackendContract.checks.filter { $0.name != BackendContract.ofLastLogin })
    func backend(check: BackendContract.Check) async throws {
      let database = try Databases.shared.make()
      // Waits are exact here: both clocks stand still, and the check moves that of the server.
      try database.freeze(at: 1_800_000_000_000_000_000)
      let subject = BackendContract.Subject(
        backend: try database.backend(clock: StandingClock(0)), advance: { try! database.advance(by: $0) },
        setAvailable: { try! database.setAvailable($0) })
      let violation = await check.run(on: subject)
      // A client that owns its transaction would learn the present password, and roll the count back.
      let isUnkept = check.name.hasPrefix("a recovery refuses the present password")
      #expect((violation != nil) == isUnkept, "\(String(describing: violation))")
    }
  }
}

extension TestDatabase {
  /// The subject of a contract, with alice and bob; with a clock, alice has a second step.
  fileprivate func authoritySubject(
    _ backend: PostgresBackend, clock: MovedClock? = nil
  ) throws -> AuthorityContract.Subject {
    try backend.registerBoth()
    // Each opens once, and no check needs more than there are.
    let codes = Mutex(clock == nil ? [] : try backend.turnTwoStepOn())
    let code: @Sendable () async -> Password = { Password(codes.withLock { $0.removeLast() }.text) }
    return AuthorityContract.Subject(
      authority: backend, first: Credentials(username: "alice", password: alicePassword),
      second: Credentials(username: "bob", password: bobPassword),
      advance: { duration in
        #expect(throws: Never.self) { try self.advance(by: duration) }
        clock?.advance(by: duration)
      },
      setAvailable: { isAvailable in #expect(throws: Never.self) { try self.setAvailable(isAvailable) } },
      code: clock == nil ? nil : code)
  }

  fileprivate func setAvailable(_ isAvailable: Bool) throws {
    try Databases.connect(server.address("postgres")).sql(
      "ALTER DATABASE \(name) ALLOW_CONNECTIONS \(isAvailable); SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
    )
  }
}

/// The clock of the machine, which a test can move ahead.
private final class MovedClock: SessionClock {
  private let distance = Mutex(Duration.zero)

  func advance(by duration: Duration) { distance.withLock { $0 += duration } }
  func now() throws(ClockError) -> BootInstant {
    let base = try BootClock().now()
    return base.advanced(by: distance.withLock { $0 })
  }
  func sleep(for duration: Duration) async throws(CancellationError) { try await BootClock().sleep(for: duration) }
}

extension PostgresBackend {
  /// Turns the second step of alice on, and makes recovery codes that answer its challenges.
  fileprivate func turnTwoStepOn() throws(BackendError) -> [RecoveryCode] {
    let token = try logIn(Credentials(username: "alice", password: alicePassword), limits: .standard).token
    let secret = try beginTwoStep(token: token)
    try confirmTwoStep(secret.code(at: WallTime.now()), token: token)
    return try makeRecoveryCodes(token: token)
  }
}
