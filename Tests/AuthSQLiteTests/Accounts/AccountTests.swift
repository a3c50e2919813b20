import AuthBackend
import AuthCore
import AuthSQLite
import Testing

@Suite struct AccountTests {
  @Test(
    "a hostile name is refused with the accepted form, and escaped when shown",
    arguments: [
      "", "../x", "a\u{0}b", "\u{1B}[2Jalice", "al ice", "-alice", ".alice", "al\u{430}ce", "\u{212A}elvin",
      "ali\u{301}ce",
      String(repeating: "a", count: 65),
    ]) func hostileNames(name: String)
  {
    refuses(name)
  }

  // Not an argument of the test above: the log would show all of it.
  @Test("a name of a million bytes is refused like any other") func longName() {
    refuses(String(repeating: "a", count: 1 << 20))
  }

  private func refuses(_ name: String) {
    let refusal = failure { try Username(name) }
    #expect(refusal?.code == "username_invalid")
    #expect(refusal?.description.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    #expect((refusal?.description.utf8.count ?? 0) < 300)
  }

  @Test("the first account is an administrator's, once, though many register at once") func firstAdministrator()
    async throws
  {
    let work = Workspace()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        let authority = work.authority()
        group.addTask { _ = try? authority.register(username: "user\(number)", password: bobPassword) }
      }
    }
    #expect(work.raw.rows("SELECT count(*), sum(role = 'administrator') FROM accounts") == [["12", "1"]])
  }

  /// Characters that Unicode counts among letters, marks and symbols, and that show nothing.
  private static let blank: [Unicode.Scalar] = [
    "\u{2800}", "\u{115F}", "\u{1160}", "\u{3164}", "\u{FFA0}", "\u{34F}", "\u{17B4}", "\u{17B5}",
  ]

  @Test("a name with a character that looks like nothing is refused, which says so", arguments: blank)
  func blankName(_ scalar: Unicode.Scalar) throws {
    let authority = Workspace().authority()
    try authority.registerBoth()
    let token = try authority.logIn().token
    for name in [String(scalar), "a\(scalar)b"] {
      let refusal = failure { try authority.rules.rename(to: name, token: token) }
      #expect(refusal?.code == "display_name_invalid")
      #expect(refusal?.values.last?.hasPrefix("contains a character that looks like nothing (U+") == true)
    }
  }

  @Test("the next answer has a changed display name") func rename() async throws {
    let authority = Workspace().authority()
    try authority.registerBoth()
    let grant = try authority.logIn()
    #expect(
      try authority.rules.rename(to: "Alice \u{1F600} \u{E9}", token: grant.token).user.displayName
        == "Alice \u{1F600} \u{E9}")
    #expect(try await authority.resume(grant.token).user.displayName == "Alice \u{1F600} \u{E9}")
    for name in [
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
      "\u{2764}\u{FE0F}", "\u{AE40}",
    ] {
      #expect(try authority.rules.rename(to: name, token: grant.token).user.displayName == name)
    }
    for (name, reason) in [
      ("a\u{200D}", "begins or ends with a joiner"), ("\u{200C}", "begins or ends with a joiner"),
      ("a ", "begins or ends with a space"), ("a\u{7}", "contains a control character (U+0007)"),
      ("a\u{202E}b", "contains an invisible formatting character (U+202E)"),
      ("a\u{2028}b", "contains a line break (U+2028)"),
      ("a\u{E000}", "contains a private-use character (U+E000)"), ("", "is empty"),
      ("\u{FE0F}", "begins with a variation selector"),
    ] {
      let refusal = failure { try authority.rules.rename(to: name, token: grant.token) }
      #expect(refusal?.values.last == reason, "\(reason)")
    }
    for name in ["", " a", "a ", "a\nb", "\u{1B}[1m", "a\u{202E}b", String(repeating: "x", count: 65)] {
      #expect(code { try authority.rules.rename(to: name, token: grant.token) } == "display_name_invalid")
    }
  }

  @Test("every operation of an administrator is refused to a member and recorded") func memberIsRefused()
    throws
  {
    let authority = Workspace().authority()
    try authority.registerBoth()
    let (alice, bob) = (try authority.logIn(), try authority.logIn("bob", bobPassword))
    let name = try Username("alice")
    let refusals = [
      failure {
        _ = try authority.rules.accounts(AccountsQuery(limit: 50), token: bob.token)
      },
      failure { _ = try authority.rules.account(named: name, token: bob.token) },
      failure { _ = try authority.rules.setDisabled(true, account: name, token: bob.token) },
      failure { _ = try authority.rules.unlock(account: name, token: bob.token) },
      failure { _ = try authority.rules.events(.everyone, token: bob.token) },
    ]
    #expect(refusals.allSatisfy { $0?.kind == .notPermitted })
    #expect(
      try authority.rules.events(.everyone, token: alice.token).count { $0.name == "authz_fail" } == refusals.count)
  }

  @Test("of two password changes in one session the second is refused: its present password has been replaced")
  func passwordChangeRace() throws {
    let authority = Workspace().authority()
    try authority.registerBoth()
    let own = try authority.logIn()
    let late = Secret("yet another passphrase")
    _ = try authority.changePassword(from: alicePassword, to: wrongPassword, token: own.token)
    #expect(
      code {
        try authority.changePassword(from: alicePassword, to: late, token: own.token)
      } == "credentials_not_accepted")
    #expect(code { try authority.logIn("alice", late) } == "credentials_not_accepted")
    _ = try authority.logIn("alice", wrongPassword)
  }

  @Test("a new password that equals the current one is refused, however its letters are composed")
  func unchangedPassword() throws {
    let authority = Workspace().authority()
    let composed = Secret("caf\u{E9} lantern river orchard")
    _ = try authority.register(username: "carol", password: composed)
    let own = try authority.logIn("carol", composed)
    #expect(
      code {
        try authority.changePassword(
          from: composed, to: Secret("cafe\u{301} lantern river orchard"), token: own.token)
      } == "password_unchanged")
  }
}
