import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import DatabaseFiles
import Services
import Testing

/// The deletion of an account that has made many payments.
@Suite(.timeLimit(.minutes(10))) struct ErasureTests {
  /// A database of bob, who has nothing and has paid often under a key.
  private func work(payments: Int, isShared: Bool) throws -> (Workspace, LocalAuthority) {
    let (work, authority) = try Workspace.inhabited(isShared: isShared)
    let token = try authority.logIn("bob", bobPassword).token
    _ = try authority.rules.pay(try PaymentOrder("100", to: "alice"), token: token)
    try work.raw.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(payments))
      INSERT INTO transfers(payer, payee, amount, key, made_at) SELECT 2, 1, 1, printf('~secret-%06d', i), i FROM n
      """)
    return (work, authority)
  }

  private func keys(_ work: Workspace) -> Int64? {
    work.raw.number("SELECT count(*) FROM transfers WHERE key IS NOT NULL")
  }

  @Test("without a service a deletion erases everything, in pieces")
  func whole() throws {
    let (work, authority) = try work(payments: 2500, isShared: false)
    try authority.rules.deleteAccount(token: try authority.logIn("bob", bobPassword).token)
    #expect(keys(work) == 0 && work.raw.number("SELECT count(*) FROM erasures") == 0)
    #expect(work.run("grep -c 'secret-' '\(work.data)'/authority.db") == "0")
  }

  @Test("in a service a deletion closes the account and erases one piece; the rest follows, also after a restart")
  func pieces() throws {
    let (work, authority) = try work(payments: 2500, isShared: true)
    try authority.rules.deleteAccount(token: try authority.logIn("bob", bobPassword).token)
    #expect(code { try authority.logIn("bob", bobPassword) } == "credentials_not_accepted")
    #expect(keys(work) == 1500)
    let other = work.authority()
    #expect(try other.rules.tidy())
    #expect(keys(work) == 500)
    #expect(try other.rules.tidy())
    #expect(keys(work) == 0 && work.raw.number("SELECT count(*) FROM erasures") == 0)
    #expect(try !other.rules.tidy())
  }

  @Test("a login without a service continues a deletion whose process was killed")
  func resumed() throws {
    let (work, authority) = try work(payments: 10, isShared: false)
    work.raw.script("INSERT INTO erasures VALUES (2, '~secret-000003')")
    _ = try authority.logIn()
    #expect(keys(work) == 3 && work.raw.number("SELECT count(*) FROM erasures") == 0)
  }

  @Test("no deletion erases a key of another account")
  func others() throws {
    let (work, authority) = try work(payments: 3, isShared: false)
    let alice = try authority.logIn().token
    _ = try authority.rules.pay(try PaymentOrder("1", to: "bob", key: "mine"), token: alice)
    let bob = try authority.logIn("bob", bobPassword).token
    _ = try authority.rules.pay(try PaymentOrder("1", to: "alice"), token: bob)
    try authority.rules.deleteAccount(token: bob)
    #expect(work.raw.rows("SELECT key FROM transfers WHERE key IS NOT NULL") == [["mine"]])
  }
}
