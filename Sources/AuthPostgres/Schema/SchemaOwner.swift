package import AuthBackend
package import AuthCore
import AuthDevice
import CPostgres
import TextFormat

/// Creates, upgrades, checks and removes the schema.
///
/// It needs a role that owns the database and has CREATEROLE, or a superuser. Each of these runs in
/// one transaction: it is done, or nothing was changed.
package struct SchemaOwner {
  let address: ServerAddress
  let limits: ServerLimits
  let schema: ServerSchema
  let hasher: PasswordHasher

  package init(
    _ address: ServerAddress, policy: SessionPolicy = .standard,
    limits: ServerLimits = ServerLimits(answer: .seconds(60)),
    cost: PasswordCost = .standard
  ) {
    self.init(address, schema: ServerSchema(policy: policy, cost: cost), limits: limits, cost: cost)
  }

  init(_ address: ServerAddress, schema: ServerSchema, limits: ServerLimits, cost: PasswordCost) {
    self.address = address
    self.limits = limits
    self.schema = schema
    hasher = PasswordHasher(cost: cost)
  }

  /// The database and the version that is there, if any.
  package struct Found: Hashable, Sendable {
    package let facts: BackendConnection
    /// Major and minor version; nil when there is no schema.
    package let version: [Int]?
  }

  /// Looks for the schema, in the catalogue alone.
  ///
  /// Nothing in the schema is called or read, because it may be another user's, and a superuser
  /// would run that user's code.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_foreign`) for a schema of another owner.
  package func look() throws(BackendError) -> Found {
    let (found, owner) = try run { (connection) throws(ServerFault) in
      let rows = try connection.run(
        """
        SELECT r.rolname, obj_description(n.oid, 'pg_namespace')
        FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = '\(ServerSchema.name)'
        """, [], until: deadline)
      return (
        Found(facts: connection.facts, version: rows.first.map { ServerSchema.version(in: $0[1]) }), rows.first?[0]
      )
    }
    guard let owner, owner != ServerSchema.ownerRole else { return found }
    throw .refused(
      "schema_foreign",
      "The schema \(ServerSchema.name) of the database '\(found.facts.database.escaped)' belongs to '\(owner.escaped)', and not to \(ServerSchema.ownerRole).",
      hint: "Nothing in it was used or changed. Ask its owner what it is, or use another database.")
  }

  /// Makes the schema and the first account, an administrator's.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted,
  ///   `refused` (`schema_exists`) when there is one.
  package func install(administrator: String, password: Password) throws(BackendError) -> BackendConnection {
    let name = try Username(administrator)
    let accepted = try PasswordPolicy.accept(password, for: name)
    let found = try look()
    if found.version != nil {
      throw .refused(
        "schema_exists", "The database '\(found.facts.database.escaped)' has the schema already.",
        hint: "See what it is: auth-cli schema check")
    }
    let hash = try hasher.hash(accepted)
    let registration = """
      SELECT code FROM \(ServerSchema.name).register(\(ServerSchema.major), '\(name)', '\(name)',
        '\(PostgresBackend.setting(of: hash))', '\\x\(Hex.text(SHA256.hash(Array(hash.utf8))))');
      """
    return try run { (connection) throws(ServerFault) in
      try make(connection, with: registration)
      return connection.facts
    }
  }

  /// Makes the schema without an account, for tests: the first to register becomes administrator.
  func installEmpty() throws(BackendError) {
    try run { (connection) throws(ServerFault) in try make(connection, with: "") }
  }

  private func make(_ connection: ServerConnection, with registration: String) throws(ServerFault) {
    try connection.requireUTF8()
    try transact(
      connection,
      """
      \(ServerSchema.roles(database: Self.quoted(connection.facts.database)))
      \(schema.creation)
      \(registration)
      REVOKE \(ServerSchema.ownerRole) FROM CURRENT_USER;
      """)
  }

  /// Upgrades an older schema.
  ///
  /// - Returns: Nil when there was nothing to do.
  package func upgrade() throws(BackendError) -> BackendConnection? {
    let found = try look()
    guard let version = found.version else {
      throw ServerFault.refused(state: "3F000", "schema \(ServerSchema.name) does not exist").failure(
        at: found.facts.place)
    }
    if version == schema.version { return nil }
    guard version.lexicographicallyPrecedes(schema.version) else {
      throw ServerFault.otherVersion(found: Int64(version[0]), at: found.facts.place)
    }
    return try run { (connection) throws(ServerFault) in
      let present = try names(of: schema, connection)
      try transact(
        connection,
        """
        GRANT \(ServerSchema.ownerRole) TO CURRENT_USER;
        \(schema.upgrade(from: version, functions: present))
        REVOKE \(ServerSchema.ownerRole) FROM CURRENT_USER;
        """)
      return connection.facts
    }
  }

  /// Removes the schema with all accounts and all money in it, and the roles where no other
  /// database uses them.
  ///
  /// - Parameter confirmation: The name of the database, so that nobody removes the wrong one.
  /// - Returns: Nil when there was nothing to remove.
  /// - Throws: ``BackendError`` of kind `refused` (`confirmation_wrong`) for the name of another
  ///   database.
  package func remove(confirmation: String) throws(BackendError) -> BackendConnection? {
    let found = try look()
    guard confirmation == found.facts.database else {
      throw .refused(
        "confirmation_wrong",
        "The connection is to the database '\(found.facts.database.escaped)', and not to '\(confirmation.escaped)'.",
        hint: "Nothing was removed. Repeat the name of the database to confirm.")
    }
    return try run { (connection) throws(ServerFault) in
      let roles = try connection.run(
        "SELECT rolname FROM pg_roles WHERE rolname IN ('\(ServerSchema.ownerRole)', '\(ServerSchema.clientRole)')",
        [], until: deadline)
      if roles.isEmpty, found.version == nil { return nil }
      try transact(
        connection,
        """
        GRANT \(ServerSchema.ownerRole) TO CURRENT_USER;
        GRANT \(ServerSchema.clientRole) TO CURRENT_USER;
        DROP SCHEMA IF EXISTS \(ServerSchema.name) CASCADE;
        DROP OWNED BY \(ServerSchema.ownerRole);
        DROP OWNED BY \(ServerSchema.clientRole);
        REVOKE \(ServerSchema.ownerRole) FROM CURRENT_USER;
        DO $roles$ BEGIN
          DROP ROLE \(ServerSchema.ownerRole);
        EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
        END $roles$;
        DO $roles$ BEGIN
          DROP ROLE \(ServerSchema.clientRole);
        EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
        END $roles$;
        """)
      return connection.facts
    }
  }

  /// Compares the catalogue with what the schema should be.
  ///
  /// - Returns: What differs, in words; nothing when all is well.
  package func check() throws(BackendError) -> [String] {
    guard let version = try look().version else { return ["there is no schema \(ServerSchema.name)"] }
    guard version == schema.version else {
      return [
        "the schema has version \(version[0]).\(version[1]), and this program makes \(schema.version[0]).\(schema.version[1])"
      ]
    }
    return try run { (connection) throws(ServerFault) in
      try connection.requireUTF8()
      return try SchemaCheck(schema: schema, connection: connection, deadline: deadline).differences()
    }
  }

  // MARK: - Connections

  var deadline: ContinuousClock.Instant { ContinuousClock.now + limits.answer }

  func run<Result>(_ body: (ServerConnection) throws(ServerFault) -> Result) throws(BackendError) -> Result {
    var place = "AUTH_CLI_AUTHORITY"
    do throws(ServerFault) {
      let connection = try connect()
      place = connection.facts.place
      return try body(connection)
    } catch {
      throw Self.failure(error, at: place)
    }
  }

  /// Connects, and finds functions and operators in the server's own catalogue only.
  ///
  /// The owner of a database can set another `search_path` for it, and put functions of the same
  /// names there, for a superuser to call.
  func connect() throws(ServerFault) -> ServerConnection {
    let connection = try Connecting(address: address, limits: limits).connect()
    _ = try connection.run("SET search_path = pg_catalog, pg_temp", [], until: deadline)
    return connection
  }

  static func failure(_ fault: ServerFault, at place: String) -> BackendError {
    switch fault {
    case .refused("42501", let message):
      .unavailable(
        .unreachable, "role_not_permitted", "Your role at \(place) may not do that: \(message).",
        hint: "Nothing was changed. Use a role that owns the database and has CREATEROLE.")
    case .unknown(let message): ServerFault.outcomeUnknown(message, at: place, key: nil)
    case .refused, .notConnected: fault.failure(at: place)
    }
  }

  func transact(_ connection: ServerConnection, _ script: String) throws(ServerFault) {
    try connection.runScript("BEGIN; SET LOCAL client_min_messages = error; \(script) COMMIT;", until: deadline)
  }

  private func names(of schema: ServerSchema, _ connection: ServerConnection) throws(ServerFault) -> [String] {
    try connection.run(
      "SELECT oid::regprocedure::text FROM pg_catalog.pg_proc WHERE pronamespace = '\(ServerSchema.name)'::regnamespace",
      [], until: deadline
    ).compactMap { $0[0] }
  }

  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
