import AuthAccounts
import AuthCore
import AuthRules
import CCrypt
import DatabaseFiles
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct PasswordTests {
  @Test(
    "when setting: the rule that is broken is named",
    arguments: [
      (Secret("fourteen chars"), "password_too_short"),
      (Secret(String(repeating: "e\u{301}", count: 14)), "password_too_short"),
      (Secret(String(repeating: "a", count: 512)), "password_too_long"),
      (Secret(String(repeating: "\u{20AC}", count: 171)), "password_too_long"),
      (Secret(String(repeating: "a", count: 3000)), "password_too_long"),
      (Secret(bytes: Array("fifteen chars\u{0}and more".utf8)), "password_has_nul"),
      (Secret(bytes: [0xFF] + Array("fifteen chars and more".utf8)), "password_not_text"),
      (Secret("fifteen chars and \u{378}"), "password_unprintable"),
      (Secret("fifteen chars and \u{1B}[D"), "password_unprintable"),
      (Secret("\u{1B}[200~fifteen chars and more"), "password_unprintable"),
      (Secret("fifteen chars\tand more"), "password_unprintable"),
      (Secret("fifteen chars \u{202E}and more"), "password_unprintable"),
      (Secret("fifteen chars \u{2066}and more"), "password_unprintable"),
      (Secret("fifteen chars \u{E000}and more"), "password_unprintable"),
      (Secret(String(repeating: "7", count: 20)), "password_repeats"),
      (Secret(String(repeating: " ", count: 20)), "password_repeats"),
      (Secret(" \u{3000}" + String(repeating: " ", count: 20)), "password_repeats"),
      (Secret("z z z z z z z z z z"), "password_repeats"),
      (Secret("QwertyUIOPasdfgh"), "password_blocked"),
      (Secret("auth-cli-password-2026"), "password_blocked"),
      (Secret("correct horse battery staple"), "password_blocked"),
      (Secret("Password1234 567890"), "password_blocked"),
      (Secret("the-quick-brown-fox-jumps"), "password_blocked"),
      (Secret("pass word pass word 1"), "password_blocked"),
      (Secret("what does ALICE say"), "password_contains_name"),
    ])
  func refused(password: Secret, code expected: String) {
    let work = Workspace()
    let refusal = failure { try work.authority().register(username: "Alice", password: password) }
    #expect(refusal?.code == expected)
    #expect(refusal?.kind == .invalid)
    #expect(!String(describing: refusal).contains("what does"))
  }

  @Test("a login takes a password with such a character that was once stored") func storedBefore() throws {
    let (work, _) = try Workspace.inhabited()
    let old = Secret("fifteen chars and \u{1B}[D")
    let stored = try #require(work.raw.run("SELECT password_hash FROM accounts WHERE name = 'bob'").first)
    let hash = String(cString: try #require(crypt("fifteen chars and \u{1B}[D", stored)))
    work.raw.script("UPDATE accounts SET password_hash = '\(hash)' WHERE name = 'bob'")
    _ = try work.authority().logIn("bob", old)
  }

  @Test("the longest password is the longest that libcrypt takes") func longest() {
    #expect(PasswordPolicy.longest == Int(CRYPT_MAX_PASSPHRASE_SIZE) - 1)
  }

  @Test("at the bounds: 15 characters, 511 bytes, and a short name inside are accepted") func accepted() throws {
    let authority = Workspace().authority()
    _ = try authority.register(username: "a1", password: Secret("fifteen letters"))
    let longest = Secret("a" + String(repeating: "b", count: 510))
    _ = try authority.register(username: "a2", password: longest)
    _ = try authority.logIn("a2", longest)
    #expect(
      code {
        try authority.logIn("a2", Secret("a" + String(repeating: "b", count: 509)))
      } == "credentials_not_accepted")
    _ = try authority.register(username: "tom", password: Secret("atomic tomatoes today"))
    #expect(
      code {
        try authority.register(username: "ann", password: Secret("annannannannann"))
      } == "password_contains_name")
    _ = try authority.register(username: "ann", password: Secret("1234 9876 5555 0192"))
    _ = try authority.register(username: "bo", password: Secret("!@#$%^&*()_+{}|:<>?"))
  }

  @Test("a composed and a decomposed é are the same password") func composition() throws {
    let authority = Workspace().authority()
    let decomposed = Secret("cafe\u{301} cre\u{300}me bru\u{302}le\u{301}e")
    let composed = Secret("caf\u{E9} cr\u{E8}me br\u{FB}l\u{E9}e")
    _ = try authority.register(username: "zoe", password: composed)
    let token = try authority.logIn("zoe", decomposed).token
    #expect(code { try authority.changePassword(from: composed, to: decomposed, token: token) } == "password_unchanged")
  }

  @Test("a login with an impossible password is refused like one with a wrong password") func notAccepted() throws {
    let authority = try Workspace.inhabited().authority
    for password in [
      Secret(""), Secret(bytes: [0xFF]), Secret(bytes: [0]), Secret(String(repeating: "x", count: 1 << 20)),
    ] {
      #expect(code { try authority.logIn("bob", password) } == "credentials_not_accepted")
      #expect(code { try authority.logIn("nobody", password) } == "credentials_not_accepted")
    }
  }

  @Test("a stored hash verifies with the system's own crypt", .enabled(if: Workspace().run("command -v perl") != ""))
  func interoperability() throws {
    let work = Workspace()
    _ = try work.authority().register(username: "alice", password: alicePassword)
    let stored = try work.storedHash()
    #expect(stored.hasPrefix("$y$j75$"))
    #expect(work.run("perl -e 'print crypt($ARGV[0], $ARGV[1])' 'correct horse battery' '\(stored)'") == stored)
    #expect(work.run("perl -e 'print crypt($ARGV[0], $ARGV[1])' 'correct horse batterz' '\(stored)'") != stored)
  }

  @Test("the default cost fills 64 MiB, and a lower one is raised at the next login") func cost() throws {
    let work = Workspace()
    _ = try work.authority(cost: .least).register(username: "alice", password: alicePassword)
    _ = try work.authority(cost: .standard).logIn()
    let stored = try work.storedHash()
    #expect(PasswordCost(of: stored) == .standard)
    #expect(stored.hasPrefix("$y$jBT$"))
    _ = try work.authority(cost: .least).logIn()
    #expect(try work.storedHash() == stored)
    #expect(
      work.raw.rows("SELECT account, actor, session IS NULL FROM events WHERE name = 'authn_password_rehash'")
        == [["1", "1", "0"]])
  }

  @Test("the blocklist is sorted, without repetitions, and each entry is long enough to matter") func blocklist() {
    for listed in [BlockedPasswords.list, BlockedPasswords.words] { #expect(listed == listed.sorted()) }
    let all = BlockedPasswords.list + BlockedPasswords.words.flatMap(BlockedPasswords.forms)
    #expect(all.count > 500 && BlockedPasswords.all.count == all.count)
    #expect(all.allSatisfy { $0.count >= 15 && $0 == $0.lowercased() })
    #expect(
      BlockedPasswords.all.isSuperset(of: [
        "!qaz2wsx#edc4rfv", "zyxwvutsrqponmlkjihgfedcba", "admin1234567890", "adminadminadmin", "dragon123456789",
        "passwordpassword", "trustno112345678910",
      ]))
  }
}
