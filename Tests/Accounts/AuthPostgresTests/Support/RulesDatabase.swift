import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules
import PostgresServers
import Services
import Testing

@testable import AuthPostgres

/// A database with the rule book's tables, and the rules over it, whose clock a test moves.
final class RulesDatabase: TestDatabase {
  let name = "rules\(UInt32.random(in: 0 ... .max))"
  let server: ThrowawayServer
  let authority: PostgresAuthority
  /// The time of the server, or how far a test has moved it.
  private let clock: SettableClock

  /// - Parameters:
  ///   - isShared: Whether the rules are those of a service.
  ///   - standing: The time of the server since 1970, which then only a test moves.
  ///   - isEmpty: Whether there are no tables yet.
  /// - Throws: What the server refuses.
  init(isShared: Bool = false, standing: SettableClock? = nil, isEmpty: Bool = false) throws {
    server = try Databases.server.get()
    let template = try isEmpty ? "template1" : Self.template.get()
    try Databases.connect(server.address("postgres")).sql("CREATE DATABASE \(name) TEMPLATE \(template)")
    let address = try ServerAddress(server.address(name))
    let clock = standing ?? SettableClock(uptime: .zero)
    self.clock = clock
    authority = PostgresAuthority(
      PostgresDatabase(
        address, patience: .seconds(60), clock: standing == nil ? BootClock() : SettableClock(),
        adjusted: { (standing == nil ? $0 : 0) + clock.wallTime.microseconds }), isShared: isShared)
  }

  /// The template of the databases: it has the tables, and they are empty.
  private static let template = Result {
    let (server, name) = (try Databases.server.get(), "rules")
    try Databases.connect(server.address("postgres")).sql("CREATE DATABASE \(name)")
    try PostgresSchema.install(try ServerAddress(server.address(name)))
    return name
  }

  var address: String { server.address(name) }
  var backend: any RulesBackend { authority }

  func advance(by duration: Duration) { clock.advance(by: duration) }

  /// Creates alice, the administrator, and bob.
  ///
  /// - Returns: A session of alice.
  func registerBoth() throws -> SessionToken {
    try authority.registerBoth()
    return try authority.logIn().token
  }

  /// Runs a script as the superuser.
  ///
  /// - Returns: The rows of its last statement.
  @discardableResult
  func sql(_ script: String) throws -> [[String?]] {
    try Databases.connect(address).sql("SET search_path = auth; " + script)
  }

  /// The one number of a query of the superuser.
  func number(_ query: String) throws -> Int { Int(try sql(query).first?[0] ?? "") ?? -1 }

  func setAvailable(_ isAvailable: Bool) {
    #expect(throws: Never.self) {
      try Databases.connect(server.address("postgres")).sql(
        """
        ALTER DATABASE \(name) ALLOW_CONNECTIONS \(isAvailable);
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'
        """)
    }
  }
}

/// The rule book on a PostgreSQL database, in this process.
final class PostgresAuthority: RulesBackend {
  let rules: Rules

  init(_ database: any Database, isShared: Bool = false) {
    rules = Rules(database: database, policy: .standard, cost: .least, isShared: isShared)
  }

  convenience init(
    _ address: String, _ limits: ServerLimits = ServerLimits(), confirmed: ConfirmedServer? = nil
  ) throws {
    self.init(PostgresDatabase(try ServerAddress(address), limits: limits, confirmed: confirmed))
  }

  func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output { try rules.perform(operation, on: input) }
  var clock: any SessionClock { rules.database.clock }
  var policy: SessionPolicy { rules.policy }
  var issuer: TokenIssuer { .server }
  var connection: BackendConnection? { nil }
  func changes() throws(BackendError) -> any ChangeSource {
    throw .unavailable(.watchFailed, "the database", "only a service reports its changes")
  }
}
