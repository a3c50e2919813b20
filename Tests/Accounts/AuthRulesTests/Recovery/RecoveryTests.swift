import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
  @Test("a code is read without regard to case, hyphens, spaces and look-alike letters")
  func reading() {
    let code = RecoveryCode(typed: Array("01234-56789-abcde-fghjk-mnpqr".utf8))
    #expect(code.isWellFormed && code.text == "01234-56789-abcde-fghjk-mnpqr")
    for typed in ["0123456789ABCDEFGHJKMNPQR", "o1234 56789 abcde fghjk mnpqr", "0-L-2-3456789abcdefGHJK-mnpqr\r"] {
      #expect(RecoveryCode(typed: Array(typed.utf8)) == code, "\(typed)")
    }
    for typed in ["", "0123456789ABCDEFGHJKMNPQ", "0123456789ABCDEFGHJKMNPQRS", "u123456789ABCDEFGHJKMNPQR"] {
      #expect(!RecoveryCode(typed: Array(typed.utf8)).isWellFormed, "\(typed)")
    }
    #expect(!"\(code)\(String(reflecting: code))".contains("01234"))
  }

  @Test("a code that was used meanwhile does not tell whether a password is the present one") func overtaken() throws {
    let authority = try Workspace.inhabited().authority
    let issued = try authority.resetPasswordAsOwner(of: try Username("bob")).code
    // Another recovery is done after this one has read what it compares with.
    var database = AlteredDatabase(authority.rules.database)
    database.afterRead = { _ = try? authority.recover(username: "bob", code: issued, password: newPassword) }
    let rules = Rules(database: database, policy: .standard, cost: .least)
    #expect(
      code {
        try rules.recover(username: "bob", code: issued, password: bobPassword)
      } == "credentials_not_accepted")
    let bob = try authority.rules.account(named: Username("bob"), token: try authority.logIn().token)
    #expect(bob.failedAttempts == 1)
  }

  @Test(
    """
    a one-time code expires by the boot clock whatever the wall clock says, by the wall clock after a reboot, and when \
    a clock that was ahead is set back
    """)
  func expiry() throws {
    let work = Workspace()
    let (authority, wall) = (work.authority(), work.wall)
    try authority.registerBoth()
    let bob = try Username("bob")
    func recover(_ code: OneTimeCode) -> String? {
      failure { try authority.recover(username: "bob", code: code.code, password: newPassword) }?.code
    }
    let first = try authority.resetPasswordAsOwner(of: bob)
    work.clock.advance(by: .seconds(3600))
    wall.advance(by: .seconds(-86_400))
    #expect(recover(first) == "credentials_not_accepted")
    work.clock.advance(by: .seconds(86_400 * 1000))
    let future = try authority.resetPasswordAsOwner(of: bob)
    work.clock.advance(by: .seconds(-86_400 * 1000))
    #expect(recover(future) == "credentials_not_accepted")
    let second = try authority.resetPasswordAsOwner(of: bob)
    work.clock.reboot()
    wall.advance(by: .seconds(3599))
    #expect(recover(second) == nil)
    let third = try authority.resetPasswordAsOwner(of: bob)
    work.clock.reboot()
    wall.advance(by: .seconds(3600))
    #expect(recover(third) == "credentials_not_accepted")
  }
}
