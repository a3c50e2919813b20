import AuthAccounts
import AuthRules
import TextFormat

/// Compares the tables of a file with new ones.
enum SchemaComparison {
  /// What differs, in words; nothing when all is well.
  static func differences(of connection: SQLiteConnection) throws(BackendError) -> [String] {
    let expected = Set(try lines(of: try connection.likeNew()))
    let found = Set(try lines(of: connection))
    return expected.subtracting(found).sorted().map { "missing or changed: \($0)" }
      + found.subtracting(expected).sorted().map { "not expected: \($0)" }
  }

  /// A line for every column, and one for every table, index and trigger with its definition.
  private static func lines(of connection: SQLiteConnection) throws(BackendError) -> [String] {
    let (columns, definitions): ([String], [String]) = (
      try connection.all(SchemaQuery.columns), try connection.all(SchemaQuery.definitions)
    )
    return (columns + definitions).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
  }
}

private enum SchemaQuery: String, Query {
  case columns = """
    SELECT 'column ' || t.name || '.' || c.name || ' ' || c.type || CASE c."notnull" WHEN 1 THEN ' not null' ELSE '' END
      || coalesce(' default ' || c.dflt_value, '')
    FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
    """
  /// SQLite keeps each definition as it was written.
  case definitions = """
    SELECT type || ' ' || name || ': ' || sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
    """
}
