import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct AccountTests {
  @Test("the first account is an administrator's, once, though many register at once")
  func firstAdministrator() async throws {
    let work = Workspace()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        let authority = work.authority()
        group.addTask { _ = try? authority.register(username: "user\(number)", password: bobPassword) }
      }
    }
    #expect(work.raw.rows("SELECT count(*), sum(role = 'administrator') FROM accounts") == [["12", "1"]])
  }

  @Test("a display name that cannot be shown is refused, with the reason") func displayNames() throws {
    let authority = try Workspace.inhabited().authority
    let token = try authority.logIn().token
    for name in [
      "Alice \u{1F600} \u{E9}", "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}",
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{2764}\u{FE0F}", "\u{AE40}",
    ] { #expect(try authority.rules.rename(to: name, token: token).user.displayName == name) }
    for (name, reason) in [
      ("a\u{200D}", "begins or ends with a joiner"), ("\u{200C}", "begins or ends with a joiner"),
      ("a ", "begins or ends with a space"), (" a", "begins or ends with a space"),
      ("a\u{7}", "contains a control character (U+0007)"), ("a\nb", "contains a control character (U+000A)"),
      ("a\u{202E}b", "contains an invisible formatting character (U+202E)"),
      ("a\u{2028}b", "contains a line break (U+2028)"), ("a\u{E000}", "contains a private-use character (U+E000)"),
      ("", "is empty"), ("\u{FE0F}", "begins with a variation selector"),
    ] {
      let refusal = failure { try authority.rules.rename(to: name, token: token) }
      #expect(refusal?.code == "display_name_invalid" && refusal?.values.last == reason, "\(reason)")
    }
    // Characters that Unicode counts among letters, marks and symbols, and that show nothing.
    for blank in "\u{2800}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{34F}\u{17B4}\u{17B5}".unicodeScalars {
      for name in ["\(blank)", "a\(blank)b"] {
        let refusal = failure { try authority.rules.rename(to: name, token: token) }
        #expect(refusal?.values.last?.hasPrefix("contains a character that looks like nothing (U+") == true)
      }
    }
  }
}
