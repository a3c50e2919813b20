import AuthCore
import AuthSQLite
import Services
import Testing

@testable import AuthAccounts
@testable import AuthRules

/// What an operator does without a session, and what people may not do in a shared database.
@Suite(.timeLimit(.minutes(10))) struct OperatorTests {
  private let work = Workspace(isShared: true)
  private var shared: LocalAuthority { work.authority() }

  private func installed() throws -> LocalAuthority {
    let authority = shared
    _ = try authority.rules.install(firstAdministrator: "Alice", password: alicePassword)
    try authority.rules.setRegistration(.open, token: try authority.logIn().token)
    _ = try authority.register(username: "bob", password: bobPassword)
    return authority
  }

  private func events(_ detail: String) -> Int64? {
    work.raw.number("SELECT count(*) FROM events WHERE actor IS NULL AND detail LIKE '\(detail)'")
  }

  @Test("the first administrator is installed, once, and the registration is closed after that")
  func installation() throws {
    let authority = shared
    func install(_ name: String, _ password: Secret) -> String? {
      code { try authority.rules.install(firstAdministrator: name, password: password) }
    }
    #expect(install("alice", Secret("short")) == "password_too_short")
    #expect(install("alice", alicePassword) == nil)
    #expect(install("eve", alicePassword) == "schema_exists")
    let session = try authority.logIn()
    #expect(session.user.role == .administrator)
    #expect(try authority.rules.registration(token: session.token) == .closed)
    #expect(code { try authority.register(username: "bob", password: bobPassword) } == "registration_closed")
    #expect(events("registration closed") == 1)
  }

  @Test("a registration in a shared database makes no administrator, and no database")
  func registration() throws {
    func register(_ name: String) -> String? {
      code { try shared.register(username: name, password: bobPassword) }
    }
    #expect(register("bob") == "database_missing")
    // A database that an embedded program made, whose administrator is gone.
    try work.authority().registerBoth()
    work.raw.script("UPDATE authority SET administrator_made = 0")
    #expect(register("carol") == nil)
    #expect(work.raw.rows("SELECT role FROM accounts WHERE name = 'carol'") == [["member"]])
    #expect(work.raw.number("SELECT administrator_made FROM authority") == 0)
  }

  @Test("an operator turns a second step off, and a code that was asked for is no longer accepted")
  func twoStep() throws {
    let authority = try installed()
    let secret = try authority.turnTwoStepOn(try authority.logIn("bob", bobPassword).token)
    let challenge = try authority.challenge("bob", bobPassword)
    let bob = try Username("bob")
    try authority.rules.endTwoStep(of: bob)
    _ = try authority.logIn("bob", bobPassword)
    #expect(code { try authority.answer(secret.code(at: .now()), to: challenge) } != nil)
    #expect(code { try authority.rules.endTwoStep(of: bob) } == "two_step_not_on")
    #expect(events("operator") == 1)
  }

  @Test(
    "after a restore no session and no code of the backup is accepted, and the report says what to check, and no receipt number is given twice"
  )
  func restore() throws {
    let authority = try installed()
    let alice = try authority.logIn()
    let codes = try authority.rules.makeRecoveryCodes(token: alice.token)
    _ = try authority.turnTwoStepOn(alice.token)
    let challenge = try authority.challenge()
    let receipt = try authority.rules.pay(
      try PaymentOrder("1", to: "alice"), token: try authority.logIn("bob", bobPassword).token)
    _ = try authority.rules.setDisabled(true, account: Username("bob"), token: alice.token)
    let last = work.raw.number("SELECT max(id) FROM events")
    work.wall.advance(by: .seconds(60))
    let report = try authority.rules.cleanUpAfterRestore()
    #expect(try authority.lookUp(alice.token) == nil)
    let recovery = code {
      try authority.recover(username: "alice", code: codes[0], password: newPassword)
    }
    #expect(recovery == "credentials_not_accepted")
    #expect(code { try authority.answer(Secret(codes[0].text), to: challenge) } == "credentials_not_accepted")
    #expect(report.sessions == 2 && report.codes == 10, "\(report)")
    #expect(report.administrators == .init(first: ["alice"], count: 1))
    #expect(report.disabled == .init(first: ["bob"], count: 1))
    #expect(report.withTwoStep == .init(first: ["alice"], count: 1))
    #expect(report.lastPayment == .init(id: receipt.id, at: receipt.madeAt))
    #expect(report.lastEvent?.id == last)
    let next = receipt.id + 600_001
    #expect(report.nextReceipt == next)
    #expect(events("after a restore: 2 sessions ended, 10 codes voided, receipts after \(next - 1)") == 1)
    // A second run, and payments, never go back.
    work.wall.advance(by: .seconds(-30))
    #expect(try authority.rules.cleanUpAfterRestore().nextReceipt == next)
    let paid = try authority.rules.database.write(.rows) { (db) throws(BackendError) in
      try [1, 2].map { _ throws(BackendError) in
        try db.transfer(try Amount("1"), from: 1, to: 2, key: nil, at: db.wallTime)
      }
    }
    #expect(paid == [next, next + 1])
  }

  @Test("exactly the events that were archived are deleted, and no others can be")
  func archive() throws {
    let authority = shared
    _ = try authority.rules.install(firstAdministrator: "alice", password: alicePassword)
    for _ in 0..<4 { _ = try authority.logIn() }
    work.wall.advance(by: .seconds(60))
    let time = work.wall.wallTime
    _ = try authority.logIn()
    var pages: [Rules.ArchivePage] = []
    while let page = try authority.rules.archivePage(before: time, after: pages.last?.through, limit: 2) {
      pages.append(page)
    }
    let archived = pages.flatMap(\.events)
    let numbers = try #require(work.raw.rows("SELECT id FROM events ORDER BY id")).map { Int64($0[0]) }
    #expect(archived.map(\.id) == numbers.dropLast().map { $0 } && pages.map(\.events.count) == [2, 2, 2])
    func delete(_ page: Rules.ArchivePage, _ count: Int) -> String? {
      code {
        try authority.rules.deleteArchived(before: time, after: page.after, through: page.through, count: count)
      }
    }
    #expect(delete(pages[0], 1) == "events_changed" && delete(pages[0], 3) == "events_changed")
    #expect(work.raw.number("SELECT count(*) FROM events") == 7)
    try authority.rules.noteArchive(of: 6, before: time)
    // A piece that was deleted is deleted, whatever becomes of the next.
    #expect(delete(pages[0], 2) == nil)
    #expect(delete(pages[1], 1) == "events_changed")
    #expect(work.raw.number("SELECT count(*) FROM events") == 6)
    for page in pages.dropFirst() { #expect(delete(page, 2) == nil) }
    #expect(work.raw.rows("SELECT name FROM events ORDER BY id") == [["authn_login_success"], ["authz_admin"]])
    #expect(events("6 events archived, before %") == 1)
    for name in ["authn_login_success", "authz_admin"] {
      #expect(!work.raw.accepts("DELETE FROM events WHERE name = '\(name)'"))
    }
    #expect(!work.raw.accepts("UPDATE events SET detail = 'x'"))
  }
}
