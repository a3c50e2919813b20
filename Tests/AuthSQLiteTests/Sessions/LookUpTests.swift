import AuthBackend
import AuthCore
import AuthSQLite
import Testing

@Suite struct LookUpTests {
  @Test("lookUp tells the current token of an active session from all others and writes nothing")
  func glance() async throws {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let grant = try authority.logIn()
    let raw = work.raw
    func glance(_ token: SessionToken) throws -> Grant? {
      let before = raw.number("PRAGMA data_version")
      defer { #expect(raw.number("PRAGMA data_version") == before) }
      return try authority.lookUp(token)
    }
    #expect(try glance(grant.token) == grant)
    #expect(try glance(SessionToken(bytes: Array(repeating: 7, count: 32))) == nil)

    let issued = try authority.reauthenticate(grant.token, password: alicePassword, requesting: .standard)
    #expect(try glance(grant.token) == grant)
    #expect(try glance(issued.token) == nil, "its first use is a change, and a glance is none")
    try await authority.confirm(issued.token)
    #expect(try glance(grant.token) == nil)
    #expect(try glance(issued.token) == issued)

    // A fault is told, or whoever asks again after it would wait for the lock a second time.
    let impatient = work.authority(busyWait: .milliseconds(1))
    #expect(raw.script("BEGIN EXCLUSIVE"))
    #expect(code { try impatient.lookUp(issued.token) } == "database_busy")
    #expect(raw.script("ROLLBACK"))
    work.run("mv '\(work.databasePath)' '\(work.databasePath).away'")
    #expect(code { try authority.lookUp(issued.token) } == "database_missing")
    work.run("mv '\(work.databasePath).away' '\(work.databasePath)'")
    try await authority.revoke(issued.token, reason: .userAsked)
    #expect(try glance(issued.token) == nil)

    let later = try authority.logIn()
    #expect(try glance(later.token) == later)
    work.clock.advance(by: .seconds(1800))
    #expect(try glance(later.token) == nil)
  }
}
