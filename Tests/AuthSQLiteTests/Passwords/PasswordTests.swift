import AuthBackend
import AuthCore
import AuthSQLite
import CCrypt
import Testing

@Suite struct PasswordTests {
  @Test(
    "when setting: the rule that is broken is named",
    arguments: [
      (Password("fourteen chars"), "password_too_short"),
      (Password(String(repeating: "e\u{301}", count: 14)), "password_too_short"),
      (Password(String(repeating: "a", count: 512)), "password_too_long"),
      (Password(String(repeating: "\u{20AC}", count: 171)), "password_too_long"),
      (Password(String(repeating: "a", count: 3000)), "password_too_long"),
      (Password(bytes: Array("fifteen chars\u{0}and more".utf8)), "password_has_nul"),
      (Password(bytes: [0xFF] + Array("fifteen chars and more".utf8)), "password_not_text"),
      (Password("fifteen chars and \u{378}"), "password_unassigned"),
      (Password(String(repeating: "7", count: 20)), "password_repeats"),
      (Password(String(repeating: " ", count: 20)), "password_repeats"),
      (Password(" \t\u{3000}" + String(repeating: " ", count: 20)), "password_repeats"),
      (Password("z z z z z z z z z z"), "password_repeats"),
      (Password("QwertyUIOPasdfgh"), "password_blocked"),
      (Password("auth-cli-password-2026"), "password_blocked"),
      (Password("correct horse battery staple"), "password_blocked"),
      (Password("Password1234 567890"), "password_blocked"),
      (Password("the-quick-brown-fox-jumps"), "password_blocked"),
      (Password("pass word pass word 1"), "password_blocked"),
      (Password("what does ALICE say"), "password_contains_name"),
    ]) func refused(password: Password, code expected: String)
  {
    let work = Workspace()
    let refusal = failure { () throws(BackendError) in
      try work.authority().register(username: "Alice", password: password)
    }
    #expect(refusal?.code == expected)
    #expect(refusal?.kind == .invalid)
    #expect(!String(describing: refusal).contains("what does"))
  }

  @Test("the longest password is the longest that libcrypt takes") func longest() {
    #expect(NormalizedPassword.longest == Int(CRYPT_MAX_PASSPHRASE_SIZE) - 1)
  }

  @Test("at the bounds: 15 characters, 511 bytes, and a short name inside are accepted") func accepted() throws {
    let authority = Workspace().authority()
    _ = try authority.register(username: "a1", password: Password("fifteen letters"))
    let longest = Password("a" + String(repeating: "b", count: 510))
    _ = try authority.register(username: "a2", password: longest)
    _ = try authority.logIn("a2", longest)
    #expect(
      code { () throws(BackendError) in
        try authority.logIn("a2", Password("a" + String(repeating: "b", count: 509)))
      } == "credentials_not_accepted")
    _ = try authority.register(username: "tom", password: Password("atomic tomatoes today"))
    #expect(
      code { () throws(BackendError) in
        try authority.register(username: "ann", password: Password("annannannannann"))
      } == "password_contains_name")
  }

  @Test("a composed and a decomposed é are the same password") func composition() throws {
    let authority = Workspace().authority()
    _ = try authority.register(username: "zoe", password: Password("caf\u{E9} cr\u{E8}me br\u{FB}l\u{E9}e"))
    _ = try authority.logIn("zoe", Password("cafe\u{301} cre\u{300}me bru\u{302}le\u{301}e"))
  }

  @Test("an impossible password at login is simply not accepted") func notAccepted() throws {
    let authority = Workspace().authority()
    try authority.registerBoth()
    for password in [
      Password(""), Password(bytes: [0xFF]), Password(bytes: [0]), Password(String(repeating: "x", count: 1 << 20)),
    ] {
      #expect(code { () throws(BackendError) in try authority.logIn("bob", password) } == "credentials_not_accepted")
      #expect(code { () throws(BackendError) in try authority.logIn("nobody", password) } == "credentials_not_accepted")
    }
  }

  @Test("a stored hash verifies with the system's own crypt", .enabled(if: Workspace().run("command -v perl") != ""))
  func interoperability() throws {
    let work = Workspace()
    _ = try work.authority().register(username: "alice", password: alicePassword)
    let stored = try #require(work.raw.rows("SELECT password_hash FROM accounts")?.first?.first)
    #expect(stored.hasPrefix("$y$j75$"))
    #expect(work.run("perl -e 'print crypt($ARGV[0], $ARGV[1])' 'correct horse battery' '\(stored)'") == stored)
    #expect(work.run("perl -e 'print crypt($ARGV[0], $ARGV[1])' 'correct horse batterz' '\(stored)'") != stored)
  }

  @Test("the default cost fills 64 MiB, and a lower one is raised at the next login") func cost() throws {
    #expect(PasswordCost.standard.memory == 64 << 20)
    let work = Workspace()
    _ = try work.authority(cost: .least).register(username: "alice", password: alicePassword)
    _ = try work.authority(cost: .standard).logIn()
    let stored = try #require(work.raw.rows("SELECT password_hash FROM accounts")?.first?.first)
    #expect(PasswordCost(of: stored) == .standard)
    #expect(stored.hasPrefix("$y$jBT$"))
    _ = try work.authority(cost: .least).logIn()
    #expect(work.raw.rows("SELECT password_hash FROM accounts")?.first?.first == stored)
    #expect(
      work.raw.rows("SELECT account, actor, session IS NULL FROM events WHERE name = 'authn_password_rehash'")
        == [["1", "1", "0"]])
  }

  @Test("a server's setting is hashed with where it is yescrypt, of a cost that this program would make")
  func settings() {
    let salt = "aaaaaaaaaaaaaaaaaaaaa."
    let hasher = PasswordHasher(cost: .standard)
    for cost in PasswordCost.all {
      #expect(hasher.accepts(setting: cost.prefix + salt) == (7...9).contains(cost.count))
      #expect(PasswordHasher(cost: .least).accepts(setting: cost.prefix + salt) == (1...9).contains(cost.count))
    }
    let standard = PasswordCost.standard.prefix
    for setting in [
      "", "ab", "$3$$", "$1$aaaaaaaa", "$2b$12$aaaaaaaaaaaaaaaaaaaaaa", "$6$rounds=1000$aaaa", "$gy$jBT$" + salt,
      "$7$CU..../....aaaaaaaaaaaaaaaaaaaaaa", "$y$/BT$" + salt, "$y$jBT.$" + salt, standard, standard + salt + "$",
      standard + salt + "a", standard + "aaaaaaaaaaaaaaaaaaaaa:", standard + salt.dropLast() + "\n",
    ] {
      #expect(!hasher.accepts(setting: setting), "\(setting)")
    }
  }

  @Test("a hash says its cost, for every cost", arguments: UInt(1)...4) func costOfHash(count: UInt) throws {
    let work = Workspace()
    _ = try work.authority(cost: PasswordCost(count: count)).register(username: "alice", password: alicePassword)
    let stored = try #require(work.raw.rows("SELECT password_hash FROM accounts")?.first?.first)
    #expect(PasswordCost(of: stored) == PasswordCost(count: count))
  }

  @Test("the blocklist is sorted, without repetitions, and each entry is long enough to matter") func blocklist() {
    let listed = BlockedPasswords.list
    #expect(listed.count > 500)
    #expect(BlockedPasswords.all.count == listed.count)
    #expect(listed == listed.sorted())
    #expect(listed.allSatisfy { $0.count >= 15 && $0 == $0.lowercased() })
    #expect(BlockedPasswords.all.isSuperset(of: ["!qaz2wsx#edc4rfv", "zyxwvutsrqponmlkjihgfedcba"]))
  }
}
