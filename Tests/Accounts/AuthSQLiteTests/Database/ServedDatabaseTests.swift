import AuthAccounts
import AuthCore
import AuthRules
import Glibc
import Races
import Services
import Synchronization
import Testing

@testable import AuthSQLite

/// The database of a service, which holds it alone.
@Suite(.timeLimit(.minutes(10))) struct ServedDatabaseTests {
  private let work = Workspace(isShared: true, isServed: true)

  private func held(busyWait: Duration = .seconds(5)) throws -> LocalAuthority {
    try work.authority().registerBoth()
    let authority = work.authority(busyWait: busyWait)
    try authority.holdAlone()
    return authority
  }

  @Test("reads do not wait for a write, and see what was committed before")
  func reading() throws {
    let authority = try held()
    let token = try authority.logIn().token
    let name = try authority.rules.database.write(.rows) { (db) throws(BackendError) -> String? in
      try db.run("UPDATE accounts SET display_name = 'changed'", [])
      let seen = Mutex<String?>(nil)
      let end = ContinuousClock.now + .seconds(60)
      pthread_detach(
        startedThread {
          let name = try? authority.rules.profile(token: token).user.displayName
          seen.withLock { $0 = name }
        })
      while seen.withLock({ $0 == nil }), ContinuousClock.now < end { sched_yield() }
      return seen.withLock(\.self)
    }
    #expect(name == "alice")
    #expect(try authority.rules.profile(token: token).user.displayName == "changed")
  }

  @Test("after the service the file has no log")
  func alone() throws {
    let authority = try held()
    _ = try authority.logIn()
    #expect(work.run("ls \(work.data)").contains("authority.db-wal"))
    try authority.endService()
    #expect(!work.run("ls \(work.data)").contains("authority.db-wal"))
    #expect(work.raw.rows("PRAGMA journal_mode") == [["delete"]])
    _ = try work.authority().logIn()
  }

  @Test("a deleted account leaves no text in the file or in the log")
  func traces() throws {
    let authority = try held()
    let bob = try authority.logIn("bob", bobPassword).token
    _ = try authority.rules.rename(to: "Robert Tables", token: bob)
    _ = try authority.rules.pay(try PaymentOrder("100", to: "alice"), token: bob)
    try authority.rules.deleteAccount(token: bob)
    #expect(work.run("cat \(work.data)/authority.db* | grep -c 'Robert Tables'") == "0")
  }

  @Test("a deletion during a copy holds up no read, and what it deleted leaves the log when the copy has ended")
  func tracesLater() throws {
    let authority = try held()
    let database = try #require(authority.rules.database as? SQLiteDatabase)
    let (alice, bob) = (try authority.logIn().token, try authority.logIn("bob", bobPassword).token)
    _ = try authority.rules.pay(try PaymentOrder("100", to: "alice"), token: bob)
    func log() -> String { work.run("stat --format %s \(work.data)/authority.db-wal") }
    try database.atLength { () throws(BackendError) in
      try database.read { (_) throws(BackendError) in
        try authority.rules.deleteAccount(token: bob)
        let name = try authority.rules.profile(token: alice).user.displayName
        #expect(name == "alice")
        #expect(log() != "0")
      }
    }
    #expect(log() == "0")
  }

  @Test("what a deletion removed leaves the log when a read that outlasted the wait for it has ended")
  func tracesAfterRead() throws {
    let authority = try held(busyWait: .milliseconds(20))
    let database = try #require(authority.rules.database as? SQLiteDatabase)
    let bob = try authority.logIn("bob", bobPassword).token
    _ = try authority.rules.pay(try PaymentOrder("100", to: "alice"), token: bob)
    func log() -> String { work.run("stat --format %s \(work.data)/authority.db-wal") }
    try database.read { (_) throws(BackendError) in
      try authority.rules.deleteAccount(token: bob)
      #expect(log() != "0")
    }
    #expect(log() == "0")
  }
}
