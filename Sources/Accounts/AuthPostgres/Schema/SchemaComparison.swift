package import AuthAccounts
import AuthRules

extension PostgresSchema {
  /// Compares the tables with new ones, which are created beside them and rolled back.
  ///
  /// - Returns: What differs, in words; nothing when all is well.
  package static func check(_ address: ServerAddress) throws(BackendError) -> [String] {
    let session = try SchemaSession(address)
    guard try session.isInstalled() else {
      throw ServerFault.refused(state: "3F000", "there is no schema \(name)").failure(at: session.connection.place)
    }
    let version = try session.run("SELECT version FROM \(name).facts").first?[0] ?? "none"
    let known = Schema.current.version
    guard version == "\(known)" else {
      return ["the tables have version \(version), and this program makes \(known)"]
    }
    let copy = "\(name)_check"
    try session.run(
      "BEGIN; SET LOCAL lock_timeout = '5s'; \(creation(of: copy)); SET LOCAL search_path = pg_catalog, pg_temp")
    let expected = Set(try described(copy, session))
    let found = Set(try described(name, session))
    try session.run("ROLLBACK")
    return expected.subtracting(found).sorted().map { "missing or changed: \($0)" }
      + found.subtracting(expected).sorted().map { "not expected: \($0)" }
  }

  /// Every object of a schema, one line each, without the name of the schema.
  ///
  /// A new schema belongs to the role that asks, so a table of another owner differs, and so does
  /// one that somebody else may use.
  private static func described(_ schema: String, _ session: SchemaSession) throws(BackendError) -> [String] {
    try session.run(
      """
      WITH lines AS (
        SELECT 'relation ' || c.relname || ' (' || c.relkind::text || ') of ' || pg_get_userbyid(c.relowner)
            || coalesce(' for ' || (SELECT string_agg(a.grantee::regrole::text || ' ' || a.privilege_type, ', ')
              FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner), '') AS line
          FROM pg_class c WHERE c.relnamespace = '\(schema)'::regnamespace
        UNION ALL SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END || ' ' || a.attidentity::text
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
            || coalesce((SELECT ' collate ' || l.collname FROM pg_collation l WHERE l.oid = a.attcollation), '')
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
          WHERE c.relnamespace = '\(schema)'::regnamespace AND c.relkind IN ('r', 'v', 'p')
        UNION ALL SELECT 'constraint ' || c.conrelid::regclass::text || ' ' || pg_get_constraintdef(c.oid)
          FROM pg_constraint c WHERE c.connamespace = '\(schema)'::regnamespace
        UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
          WHERE c.relnamespace = '\(schema)'::regnamespace
        UNION ALL SELECT 'trigger ' || pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
          FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE c.relnamespace = '\(schema)'::regnamespace AND NOT t.tgisinternal
        UNION ALL SELECT 'function ' || p.proname || ' of ' || pg_get_userbyid(p.proowner) || ' ' || md5(p.prosrc)
            || CASE WHEN p.prosecdef THEN ' definer' ELSE '' END || ' ' || coalesce(array_to_string(p.proconfig, ';'), '')
          FROM pg_proc p WHERE p.pronamespace = '\(schema)'::regnamespace
      )
      SELECT replace(replace(line, '\(schema).', ''), '=\(schema),', '=') FROM lines
      """
    ).compactMap { $0[0] }
  }
}
