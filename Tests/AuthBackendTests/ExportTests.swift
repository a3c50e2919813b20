import AuthBackend
import Services
import Testing

@Suite struct ExportTests {
  @Test("every table is declared, with the columns that another backend does not import") func wholeSchema() throws {
    let raw = try Workspace.inhabited().work.raw
    let names = try #require(raw.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")).map { $0[0] }
    #expect(Set(names) == Set(SchemaTable.all.map(\.name)), "list it in SchemaTable.all")
    for table in SchemaTable.all {
      let columns = try #require(raw.rows("SELECT name FROM pragma_table_info('\(table.name)')")).map { $0[0] }
      #expect((table.leftBehind ?? []).subtracting(columns) == [], "columns that \(table.name) does not have")
    }
  }
}
