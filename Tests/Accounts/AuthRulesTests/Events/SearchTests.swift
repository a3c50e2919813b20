import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Services
import Testing

/// A search in a long list answers after a limited time, and says where it stopped.
@Suite(.timeLimit(.minutes(10))) struct SearchTests {
  /// A database in which alice paid bob 2,500 times, and no time to search.
  private func site() throws -> (work: Workspace, rules: Rules, token: SessionToken) {
    let work = Workspace(searchTime: .zero)
    let authority = work.authority()
    try authority.registerBoth()
    let token = try authority.logIn().token
    work.raw.script(
      """
      WITH RECURSIVE n(i) AS (VALUES(101) UNION ALL SELECT i + 1 FROM n WHERE i < 2600)
        INSERT INTO transfers(id, payer, payee, amount, made_at) SELECT i, 1, 2, i, i FROM n;
      INSERT INTO entries(account, transfer, amount) SELECT 1, id, -amount FROM transfers WHERE id > 100;
      INSERT INTO events(id, at, name, account, detail)
        SELECT -id, id, 'x', 1, 'number ' || id FROM transfers WHERE id > 100;
      """)
    return (work, authority.rules, token)
  }

  private func all<Row>(_ page: Page, _ load: (Page) throws -> Found<Row>) throws -> (rows: [Row], stops: [SearchStop])
  {
    var (page, rows, stops) = (page, [Row](), [SearchStop]())
    while true {
      let found = try load(page)
      rows += found
      guard let stop = found.stop else { return (rows, stops) }
      stops.append(stop)
      (page.before, page.limit) = (stop.before, page.limit - found.count)
    }
  }

  @Test("a search of receipts stops after a part, and what continues it finds the rest")
  func receipts() throws {
    let site = try site()
    let (rows, stops) = try all(Page(matching: "-1.23")) { try site.rules.receipts($0, token: site.token) }
    #expect(rows.map(\.id) == [123])
    #expect(stops.map(\.before) == [1601, 601] && stops.map(\.at.microseconds) == [1601, 601])
    let times = TimeSpan(since: WallTime(microseconds: 200), until: WallTime(microseconds: 210))
    #expect(try all(Page(within: times)) { try site.rules.receipts($0, token: site.token) }.rows.count == 10)
    // A page that nothing restricts needs no search, and one that is full does not stop.
    #expect(try site.rules.receipts(Page(limit: 2000), token: site.token).count == 2000)
    #expect(try site.rules.receipts(Page(matching: "bob", limit: 5), token: site.token).stop == nil)
  }

  @Test("so does a search of events, one's own and all", arguments: [EventScope.own, .everyone])
  func events(scope: EventScope) throws {
    let site = try site()
    let (rows, stops) = try all(Page(matching: "number 2345")) {
      try site.rules.events(scope, $0, token: site.token)
    }
    #expect(rows.map(\.id) == [-2345] && stops.count == 2)
  }
}
