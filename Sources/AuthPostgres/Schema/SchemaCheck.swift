/// Compares the catalogue of the server with what the schema should be.
struct SchemaCheck {
  let schema: ServerSchema
  let connection: ServerConnection
  let deadline: ContinuousClock.Instant

  /// What differs, in words.
  func differences() throws(ServerFault) -> [String] {
    try functions() + relations() + roles()
  }

  private func rows(_ query: String) throws(ServerFault) -> [[String?]] {
    try connection.run(query, [], until: deadline)
  }

  private func functions() throws(ServerFault) -> [String] {
    var expected: [String: ServerFunction] = [:]
    for function in schema.functions { expected[function.name] = function }
    var found: [String] = []
    let query = """
      SELECT p.proname, p.prosecdef, p.proowner::regrole::text, p.prosrc,
        has_function_privilege('\(ServerSchema.clientRole)', p.oid, 'EXECUTE'),
        coalesce(array_to_string(p.proconfig, ';'), ''),
        EXISTS (SELECT 1 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0)
      FROM pg_catalog.pg_proc p WHERE p.pronamespace = '\(ServerSchema.name)'::regnamespace
      """
    for row in try rows(query) {
      let name = row[0] ?? ""
      guard let function = expected.removeValue(forKey: name) else {
        found.append("there is a function \(name) that should not be there")
        continue
      }
      if row[2] != ServerSchema.ownerRole { found.append("the function \(name) belongs to \(row[2] ?? "nobody")") }
      if row[3] != "\n\(function.body)\n" { found.append("the function \(name) was changed") }
      if row[1] != (function.isOpen ? "t" : "f") { found.append("the function \(name) runs with other rights") }
      if row[4] != (function.isOpen ? "t" : "f") {
        found.append("clients \(function.isOpen ? "may not" : "may") call the function \(name)")
      }
      if row[5] != function.configuration { found.append("the function \(name) has other settings: \(row[5] ?? "")") }
      if row[6] == "t" { found.append("everybody may call the function \(name)") }
    }
    return found + expected.keys.sorted().map { "the function \($0) is missing" }
  }

  /// Nobody but the owner has any right on a table or a sequence.
  private func relations() throws(ServerFault) -> [String] {
    let query = """
      SELECT c.relname, c.relowner::regrole::text, coalesce((
        SELECT string_agg(DISTINCT CASE a.grantee WHEN 0 THEN 'everybody' ELSE a.grantee::regrole::text END, ', ')
        FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner), '')
      FROM pg_catalog.pg_class c
      WHERE c.relnamespace = '\(ServerSchema.name)'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
      ORDER BY c.relname
      """
    var found: [String] = []
    var tables: Set<String> = []
    for row in try rows(query) {
      tables.insert(row[0] ?? "")
      if row[1] != ServerSchema.ownerRole { found.append("\(row[0] ?? "") belongs to \(row[1] ?? "nobody")") }
      if let others = row[2], !others.isEmpty { found.append("\(others) has rights on \(row[0] ?? "")") }
    }
    return found
      + schema.tableNames.filter { !tables.contains($0) }.map { "the table \($0) is missing" }
  }

  private func roles() throws(ServerFault) -> [String] {
    let query = """
      SELECT r.rolname, r.rolcanlogin, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolbypassrls, r.rolreplication,
        EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m WHERE m.roleid = r.oid)
      FROM pg_catalog.pg_roles r WHERE r.rolname IN ('\(ServerSchema.ownerRole)', '\(ServerSchema.clientRole)')
      """
    var found: [String] = []
    for row in try rows(query) {
      let name = row[0] ?? ""
      if row[1] == "t" { found.append("the role \(name) can log in") }
      if row[2...6].contains("t") { found.append("the role \(name) has rights of its own") }
      if name == ServerSchema.ownerRole, row[7] == "t" {
        found.append("there are members of \(name), who can do anything")
      }
    }
    let database = try rows(
      """
      SELECT has_database_privilege('\(ServerSchema.clientRole)', current_database(), 'TEMPORARY'),
        has_schema_privilege('\(ServerSchema.clientRole)', '\(ServerSchema.name)', 'CREATE'),
        has_schema_privilege('\(ServerSchema.clientRole)', '\(ServerSchema.name)', 'USAGE'),
        has_schema_privilege('\(ServerSchema.clientRole)', 'public', 'CREATE')
      """)
    if let row = database.first {
      if row[0] == "t" { found.append("clients may make temporary tables") }
      if row[1] == "t" { found.append("clients may make objects in \(ServerSchema.name)") }
      if row[2] != "t" { found.append("clients may not use \(ServerSchema.name)") }
      if row[3] == "t" { found.append("clients may make objects in public") }
    }
    return found
  }
}
