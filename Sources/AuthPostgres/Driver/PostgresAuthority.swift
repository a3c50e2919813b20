package import AuthBackend
package import AuthCore
package import AuthDevice

/// The rule book on a PostgreSQL database, in this process.
///
/// Who holds this can read and write every table: it is for a service, and not for the people who
/// use it.
package final class PostgresAuthority: EntryBackend {
  package let rules: Rules
  package let label: String?
  package let origin: @Sendable () -> SessionOrigin?
  private let database: PostgresDatabase

  package init(
    _ database: PostgresDatabase, label: String? = nil, origin: @escaping @Sendable () -> SessionOrigin? = { nil },
    policy: SessionPolicy = .standard, cost: PasswordCost = .standard, isShared: Bool = false
  ) {
    self.database = database
    self.label = label
    self.origin = origin
    rules = Rules(database: database, policy: policy, cost: cost, isShared: isShared)
  }

  package var handler: any RequestHandler { rules }
  package var clock: any SessionClock { database.clock }
  package var policy: SessionPolicy { rules.policy }
  package var issuer: TokenIssuer { .server }
  package var connection: BackendConnection? { nil }
  package func changes() throws(BackendError) -> any ChangeSource { database.changes() }
}
