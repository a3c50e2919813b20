import AuthLocal
import Testing

@Suite struct QueryPlanTests {
  private static func statements<Q: Query>(_: Q.Type) -> [String] { Q.allCases.map(\.rawValue) }

  static let all =
    statements(AccountQuery.self) + statements(UnknownNameQuery.self) + statements(SessionQuery.self)
    + statements(LedgerQuery.self) + statements(EventQuery.self) + statements(CodeQuery.self)
    + statements(TwoStepQuery.self)

  @Test("every statement works on an index: no scan, no sort over a table", arguments: all) func plan(statement: String)
    throws
  {
    let work = Workspace()
    try work.authority().registerBoth()
    let plan = try #require(work.raw.rows("EXPLAIN QUERY PLAN " + statement)).map { $0.last ?? "" }
    for step in plan {
      // That index holds administrators only, and the first one found ends the search.
      let isShort = step == "SCAN accounts USING INDEX administrators"
      #expect(!step.hasPrefix("SCAN") || isShort || step == "SCAN CONSTANT ROW", "\(step) in \(statement)")
      #expect(!step.contains("TEMP B-TREE"), "\(step) in \(statement)")
    }
  }

  @Test("a scan would be seen") func control() throws {
    let work = Workspace()
    try work.authority().registerBoth()
    let plan = work.raw.rows("EXPLAIN QUERY PLAN SELECT * FROM accounts WHERE display_name = 'x'")
    #expect(plan?.last?.last?.hasPrefix("SCAN") == true)
  }
}
