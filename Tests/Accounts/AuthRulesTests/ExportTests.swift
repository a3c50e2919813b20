import AuthRules
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExportTests {
  @Test("every table is declared, with the columns that another backend does not import") func wholeSchema() throws {
    let raw = try Workspace.inhabited().work.raw
    let names = try #require(raw.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")).map { $0[0] }
    #expect(Set(names) == Set(Schema.tables.map(\.name)), "declare it in Schema.tables")
    for table in Schema.tables {
      let columns = try #require(raw.rows("SELECT name FROM pragma_table_info('\(table.name)')")).map { $0[0] }
      #expect((table.leftBehind ?? []).subtracting(columns) == [], "columns that \(table.name) does not have")
    }
  }
}
