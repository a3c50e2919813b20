import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthDevice
import PostgresServers
import Services
import Synchronization
import Testing

@testable import AuthCoreTesting
@testable import AuthPostgres

/// A database with the rule book's tables, and the rules over it, whose clock a test moves.
final class RulesDatabase: Sendable {
  private static let standing: Int64 = 1_800_000_000_000_000
  let name: String
  private let databases: Databases
  private let isShared: Bool
  private let distance = Mutex<Int64>(0)
  private let made = Mutex<[PostgresAuthority]>([])

  /// - Parameters:
  ///   - isShared: Whether the rules are those of a service.
  ///   - clockStands: Whether only the test moves the clock.
  ///   - isEmpty: Whether there are no tables yet.
  /// - Throws: What the server refuses.
  init(isShared: Bool = false, clockStands: Bool = false, isEmpty: Bool = false) throws {
    self.isShared = isShared
    databases = try Databases.shared()
    name = try databases.take()
    if !isEmpty { try PostgresSchema.install(try ServerAddress(address)) }
    try connect(clockStands: clockStands)
  }

  deinit { databases.takeBack(name) }

  /// Creates the tables again, without any account.
  func empty() throws {
    try Databases.connect(address).sql("SET client_min_messages = error; DROP SCHEMA auth CASCADE")
    try PostgresSchema.install(try ServerAddress(address))
    try connect(clockStands: false)
  }

  private func connect(clockStands: Bool) throws {
    let database = PostgresDatabase(
      try ServerAddress(address), patience: .seconds(2), clock: clockStands ? SettableClock() : BootClock(),
      adjusted: { [self] time in (clockStands ? Self.standing : time) + distance.withLock { $0 } })
    made.withLock { $0 = [PostgresAuthority(database, label: "here", isShared: isShared)] }
  }

  var server: ThrowawayServer { databases.server }
  var address: String { server.address(name) }
  var authority: PostgresAuthority { made.withLock { $0[0] } }
  var database: any Database { authority.rules.database }

  func advance(by duration: Duration) { distance.withLock { $0 += duration.wholeNanoseconds / 1000 } }

  /// Sets the stopped clock of a database.
  func setTime(_ time: WallTime) { distance.withLock { $0 = time.microseconds - Self.standing } }

  /// Creates alice, the administrator, and bob.
  ///
  /// - Returns: A session of alice.
  func registerBoth() throws -> SessionToken {
    _ = try authority.register(username: "alice", password: alicePassword)
    _ = try authority.register(username: "bob", password: bobPassword)
    return try authority.token("alice", alicePassword)
  }

  /// Runs a script as the superuser.
  func sql(_ script: String) throws { try Databases.connect(address).sql("SET search_path = auth; " + script) }

  /// The rows of a query of the superuser.
  func rows(_ query: String) throws -> [[String?]] { try Databases.connect(address).rows(query) }

  /// The one number of a query of the superuser.
  func number(_ query: String) throws -> Int { Int(try rows(query).first?[0] ?? "") ?? -1 }

  func setAvailable(_ isAvailable: Bool) throws {
    try Databases.connect(server.address("postgres")).sql(
      "ALTER DATABASE \(name) ALLOW_CONNECTIONS \(isAvailable); SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
    )
  }

  /// A service on a new database, for the contract.
  static func servedSubject(withSecondStep: Bool) throws -> AuthorityContract.Subject {
    let database = try RulesDatabase(isShared: true)
    let rules = database.authority.rules
    _ = try rules.installAlice()
    _ = try rules.register(username: "bob", password: bobPassword)
    var made: [RecoveryCode] = []
    if withSecondStep {
      let token = try database.authority.logIn(BackendContract.administrator, limits: .standard).token
      let secret = try rules.beginTwoStep(token: token)
      try rules.confirmTwoStep(secret.code(at: WallTime.now()), token: token)
      made = try rules.makeRecoveryCodes(token: token)
    }
    let codes = Mutex(made)
    let code: @Sendable () async -> Secret = { Secret(codes.withLock { $0.removeLast() }.text) }
    let service = try ServedRules(rules)
    return AuthorityContract.Subject(
      authority: try service.authority(), first: BackendContract.administrator,
      second: Credentials.password(username: "bob", password: bobPassword),
      advance: { duration in withExtendedLifetime(service) { database.advance(by: duration) } },
      setAvailable: { isAvailable in #expect(throws: Never.self) { try database.setAvailable(isAvailable) } },
      code: withSecondStep ? code : nil)
  }
}
