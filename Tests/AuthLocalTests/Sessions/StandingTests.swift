import AuthCore
import AuthLocal
import Testing

@Suite struct StandingTests {
  @Test("a glance tells the present token of a live session from all others, and writes nothing")
  func glance() async throws {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let grant = try authority.logIn()
    let raw = work.raw
    func glance(_ token: SessionToken) -> Grant? {
      let before = raw.number("PRAGMA data_version")
      defer { #expect(raw.number("PRAGMA data_version") == before) }
      return authority.standing(token)
    }
    #expect(glance(grant.token) == grant)
    #expect(glance(SessionToken(bytes: Array(repeating: 7, count: 32))) == nil)

    let issued = try await authority.reauthenticate(grant.token, password: alicePassword, limits: .standard)
    #expect(glance(grant.token) == grant)
    #expect(glance(issued.token) == nil, "its first use is a change, and a glance is none")
    try await authority.confirm(issued.token)
    #expect(glance(grant.token) == nil)
    #expect(glance(issued.token) == issued)

    work.run("mv '\(work.databasePath)' '\(work.databasePath).away'")
    #expect(authority.standing(issued.token) == nil)
    work.run("mv '\(work.databasePath).away' '\(work.databasePath)'")
    try await authority.revoke(issued.token, reason: .userAsked)
    #expect(glance(issued.token) == nil)

    let later = try authority.logIn()
    #expect(glance(later.token) == later)
    work.clock.advance(by: .seconds(1800))
    #expect(glance(later.token) == nil)
  }
}
