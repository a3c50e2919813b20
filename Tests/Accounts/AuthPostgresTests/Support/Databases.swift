import AuthAccounts
import PostgresServers
import Services
import Testing

@testable import AuthPostgres

/// Every suite here needs a PostgreSQL server, which the tests start themselves.
@Suite(
  "PostgreSQL",
  .enabled(
    if: ThrowawayServer.isPossible, "PostgreSQL is not installed: apt-get install postgresql, and these tests run"),
  .timeLimit(.minutes(240)))
struct PostgresTests {}

/// One server for all tests of this process, with databases of one test each.
enum Databases {
  static let server = Result {
    let server = try ThrowawayServer()
    try connect(server.address("postgres")).sql(
      """
      CREATE ROLE person LOGIN; CREATE ROLE service LOGIN;
      CREATE ROLE auth_cli_owner; CREATE ROLE auth_cli; CREATE ROLE caller LOGIN IN ROLE auth_cli
      """)
    return server
  }

  static func connect(_ address: String) throws -> ServerConnection {
    try Connecting(try ServerAddress(address), ServerLimits(answer: .seconds(60))).connect()
  }
}

extension ServerConnection {
  /// Runs a script as it is.
  ///
  /// - Returns: The rows of its last statement.
  @discardableResult
  func sql(_ script: String) throws -> [[String?]] { try run(script) }
}

/// Whether a database has no tables of the service.
func isEmpty(_ address: ServerAddress) -> Bool { code { try PostgresSchema.check(address) } == "schema_missing" }
