import AuthBackend
import AuthCore
import AuthDevice
import AuthPostgres

/// The rule book on a PostgreSQL database, in this process.
final class PostgresAuthority: Backend {
  let rules: Rules
  let label: String?
  let origin: @Sendable () -> SessionOrigin?
  private let database: PostgresDatabase

  init(
    _ database: PostgresDatabase, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil },
    isShared: Bool = false
  ) {
    self.database = database
    self.label = label
    self.origin = origin
    rules = Rules(database: database, policy: .standard, cost: .least, isShared: isShared)
  }

  func perform(_ request: BackendRequest) throws(BackendError) -> BackendAnswer { try rules.perform(request) }
  var clock: any SessionClock { database.clock }
  var policy: SessionPolicy { rules.policy }
  var issuer: TokenIssuer { .server }
  var connection: BackendConnection? { nil }
  func changes() throws(BackendError) -> any ChangeSource { database.changes() }
}
