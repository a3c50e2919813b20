import AuthRules
import AuthSQLite
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct QueryPlanTests {
  static let all = queryLists.flatMap(\.statements)
  /// Operators' rare requests may read whole tables.
  static let frequent = queryLists.filter { $0.name != "OperatorQuery" }.flatMap(\.statements)

  @Test("the lists of statements are found, and those of AuthSQLite read only pragmas or whole tables")
  func everyList() {
    #expect(queryLists.count > 10 && queryLists.allSatisfy { !$0.statements.isEmpty })
    #expect(Set(queryListNames(in: "AuthSQLite")) == ["CheckQuery", "ColumnQuery", "Facts", "LogQuery", "SchemaQuery"])
  }

  @Test("values are numbered in the order of their first appearance, as SQLite binds them", arguments: all)
  func numbering(statement: String) {
    var seen: [Int] = []
    for match in statement.matches(of: /\$(\d+)/) {
      if let number = Int(match.output.1), !seen.contains(number) { seen.append(number) }
    }
    #expect(seen == Array(1..<(seen.count + 1)))
    #expect(!statement.contains("?"))
  }

  @Test("every statement works on an index: no scan, no sort over a table", arguments: frequent)
  func plan(statement: String) throws {
    let work = try Workspace.inhabited().work
    let plan = try #require(work.raw.rows("EXPLAIN QUERY PLAN " + statement)).map { $0.last ?? "" }
    for step in plan {
      // That index holds administrators only, and the first one found ends the search.
      let isShort = step == "SCAN accounts USING INDEX administrators"
      #expect(!step.hasPrefix("SCAN") || isShort || step == "SCAN CONSTANT ROW", "\(step) in \(statement)")
      #expect(!step.contains("TEMP B-TREE"), "\(step) in \(statement)")
    }
  }

  @Test("the test of plans would report a scan") func control() throws {
    let work = try Workspace.inhabited().work
    let plan = work.raw.rows("EXPLAIN QUERY PLAN SELECT * FROM accounts WHERE display_name = 'x'")
    #expect(plan?.last?.last?.hasPrefix("SCAN") == true)
  }
}
