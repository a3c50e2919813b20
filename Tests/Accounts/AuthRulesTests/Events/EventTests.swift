import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import Foundation
import Services
import Testing
import TextFormat

@Suite(.timeLimit(.minutes(10))) struct EventTests {
  @Test("a wall clock that goes back does not disturb the order") func clockSetBack() throws {
    let work = Workspace()
    _ = try work.authority(wallClock: { WallTime(microseconds: 2_000_000) }).register(
      username: "alice", password: alicePassword)
    let back = work.authority(wallClock: { WallTime(microseconds: 1_000_000) })
    let alice = try back.logIn()
    let events = try back.rules.events(token: alice.token)
    #expect(events.map(\.name) == ["authn_login_success", "user_created"])
    #expect(events.map(\.at.microseconds) == [1_000_000, 2_000_000] && events[0].id == events[1].id + 1)
  }

  @Test("a span selects by the times that are shown, also after the clock was ahead") func clockAhead() throws {
    let work = Workspace()
    func at(_ seconds: Int64) -> LocalAuthority {
      work.authority(wallClock: { WallTime(microseconds: seconds * 1_000_000) })
    }
    func seconds(_ times: TimeSpan) throws -> [Int64] {
      try at(40).rules.events(.own, Page(within: times), token: alice.token).map(\.at.seconds)
    }
    _ = try at(10).register(username: "alice", password: alicePassword)
    _ = try at(9_000_000).logIn()
    let alice = try at(20).logIn()
    _ = try at(30).rules.rename(to: "Alicia", token: alice.token)
    #expect(try seconds(.all) == [30, 20, 9_000_000, 10])
    #expect(try seconds(TimeSpan(since: WallTime(microseconds: 20_000_000))) == [30, 20, 9_000_000])
    #expect(try seconds(TimeSpan(until: WallTime(microseconds: 30_000_000))) == [20, 10])
    let span = TimeSpan(since: WallTime(microseconds: 20_000_000), until: WallTime(microseconds: 30_000_000))
    #expect(try seconds(span) == [20])
    #expect(try at(40).rules.events(.everyone, Page(within: span), token: alice.token).map(\.at.seconds) == [20])
  }

  @Test("no password is in the database, and tokens and codes are only as their SHA-256")
  func noSecrets() throws {
    let (work, authority) = try Workspace.inhabited()
    let token = try authority.logIn().token
    let codes = try authority.rules.makeRecoveryCodes(token: token)
    _ = failure { try authority.logIn("correct horse battery", alicePassword) }
    // Before the secret is the name of the database.
    let secret = token.bytes.suffix(32)
    #expect(work.raw.rows("SELECT lower(hex(token_hash)) FROM sessions") == [[Hex.text(SHA256.hash(Array(secret)))]])
    let stored = try #require(work.raw.rows("SELECT lower(hex(code_hash)) FROM codes WHERE account = 1")).map { $0[0] }
    #expect(Set(stored) == Set(codes.map { Hex.text(SHA256.hash($0.canonical)) }))
    for path in [work.databasePath, work.databasePath + "-journal"] {
      let contents = try #require(FileManager.default.contents(atPath: path))
      let forms = codes.flatMap { [Array($0.text.utf8), $0.canonical] }
      for text in [Array("horse battery".utf8), Array(secret)] + forms {
        #expect(contents.range(of: Data(text)) == nil)
      }
    }
  }
}
