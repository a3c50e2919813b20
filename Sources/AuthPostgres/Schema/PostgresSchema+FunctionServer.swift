package import AuthBackend
import TextFormat

/// A database whose rules were functions in the server, which people's own roles called.
extension PostgresSchema {
  private static let (oldSchema, oldOwner, oldClients) = ("authcore", "auth_cli_owner", "auth_cli")

  /// Creates the tables, and fills them from that older kind of tables in the same database.
  ///
  /// Passwords are stored there as the hash of a hash: they stay good, and the next login replaces
  /// each. The old tables stay as they are, and nobody can write to them any more: whoever still
  /// uses an old program is refused.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_not_empty`) when there are tables,
  ///   `unavailable` (`schema_missing`) when there are no older ones. Nothing was changed.
  package static func importingFunctionServer(at address: ServerAddress) throws(BackendError) -> ImportSummary {
    let session = try beginImport(address)
    try requireOldOwner(session)
    // Whoever waits for these locks is refused afterwards, because nobody may write any more.
    try session.run(
      """
      LOCK TABLE \(oldTables.map { "\(oldSchema).\($0)" }.joined(separator: ", ")) IN EXCLUSIVE MODE;
      REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA \(oldSchema) FROM \(oldClients);
      REVOKE USAGE ON SCHEMA \(oldSchema) FROM \(oldClients);
      REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA \(oldSchema) FROM \(oldOwner);
      \(rows)
      """)
    return try completeImport(session, "")
  }

  private static let oldTables = [
    "authority", "accounts", "sessions", "codes", "two_steps", "reserved_names", "ledger_accounts", "transfers",
    "entries", "events",
  ]

  /// A schema of this name may be another user's, whose code would run with the rights of who reads
  /// it.
  private static func requireOldOwner(_ session: SchemaSession) throws(BackendError) {
    let owners = try session.run(
      """
      SELECT DISTINCT pg_get_userbyid(o.owner), o.kind FROM (
        SELECT nspowner AS owner, 'n' AS kind FROM pg_catalog.pg_namespace WHERE nspname = '\(oldSchema)'
        UNION ALL SELECT c.relowner, CASE WHEN c.relkind IN ('r', 'i', 'S', 'c') THEN 'n' ELSE c.relkind::text END
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = '\(oldSchema)') o
      """)
    guard !owners.isEmpty else {
      throw session.failure(.refused(state: "3F000", "schema \(oldSchema) does not exist"))
    }
    for owner in owners where owner[0] != oldOwner || owner[1] != "n" {
      throw .refused(
        .schemaForeign, oldSchema, session.database.escaped,
        "is not what older programs made: all in it has to belong to \(oldOwner)")
    }
  }

  /// Times of sessions and waits are nanoseconds there, and so they are here.
  ///
  /// A key that a program drew for itself is not the payer's.
  private static let rows = """
    INSERT INTO accounts(id, name, display_name, role, password_hash, disabled, created_at, guesses, failures,
        attempts, wait_boot, wait_until)
      SELECT id, name, display_name, role, 'sha256:' || encode(verifier, 'hex') || ':' || setting, disabled::int,
        created_at, guesses, failures, attempts, CASE WHEN wait_until IS NOT NULL THEN (SELECT f.id FROM facts f) END,
        wait_until
      FROM \(oldSchema).accounts;
    INSERT INTO ledger_accounts(id, balance) SELECT id, balance FROM \(oldSchema).ledger_accounts;
    INSERT INTO transfers(id, payer, payee, amount, key, made_at)
      SELECT id, payer, payee, amount, CASE WHEN key_was_given THEN key END, made_at FROM \(oldSchema).transfers;
    INSERT INTO entries(account, transfer, amount) SELECT account, transfer, amount FROM \(oldSchema).entries;
    INSERT INTO codes(account, code_hash, expires_at)
      SELECT account, code_hash, expires_at / 1000 FROM \(oldSchema).codes WHERE used_with IS NULL;
    INSERT INTO reserved_names(name_hash) SELECT name_hash FROM \(oldSchema).reserved_names;
    INSERT INTO two_steps(account, secret, last_step, since)
      SELECT account, secret, last_step, since FROM \(oldSchema).two_steps;
    INSERT INTO events(id, at, name, account, actor, session, detail)
      SELECT id, at, name, account, actor, session, detail FROM \(oldSchema).events;
    UPDATE authority SET (administrator_made, registration_closed, two_step_required) =
      (SELECT administrator_made::int, registration_closed::int, two_step_required::int FROM \(oldSchema).authority);
    """
}
