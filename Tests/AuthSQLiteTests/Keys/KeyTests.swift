import AuthBackend
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Testing

@Suite struct KeyTests {
  // The clock moves when somebody sleeps, so nothing sleeps: no timer runs, and all work is done at
  // once.
  private func ready() async throws -> (Workspace, LocalAuthority, SessionStore, LoggedInSession) {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let store = SessionStore(
      authority: authority, vault: work.vault(), clock: work.clock, timing: SessionTiming(watchesLimits: false),
      worksOn: .callingThread)
    _ = await store.restore()
    let session = try await store.loggedIn(Credentials.password(username: "alice", password: alicePassword))
    return (work, authority, store, session)
  }

  @Test("the main job through the keys: log in, pay under a lease, read, log out") func mainJob() async throws {
    let (work, authority, store, session) = try await ready()
    let intent = authority.prepare(try authority.order("12.50", key: "k"), for: try FreshSession(session))
    let receipt = try await session.withLease(using: intent) {
      (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
      try await intent.submit(under: lease)
    }
    #expect(receipt.amount.minorUnits == 1250)
    try session.withLease { (lease: borrowing SessionLease) throws(BackendError) in
      #expect(try authority.profile(under: lease).balance == 8750)
      #expect(try authority.receipts(within: .all, matching: "", before: nil, limit: 50, under: lease).first == receipt)
      #expect(try authority.sessions(under: lease).map(\.isCurrent) == [true])
      #expect(try authority.rename(to: "Al", under: lease).user.displayName == "Al")
      #expect(
        try authority.events(within: .all, matching: "", before: nil, limit: 50, under: lease).first?.name
          == "user_updated")
    }
    #expect(try await store.logOut() == .complete)
    #expect(throws: LeaseError<BackendError>.ended(.userAsked)) {
      try session.withLease { (lease: borrowing SessionLease) throws(BackendError) in
        _ = try authority.profile(under: lease)
      }
    }
    #expect(await work.vault().load() == .absent)
  }

  @Test("a changed password keeps the session of the store that changed it") func passwordChange() async throws {
    let (work, authority, store, session) = try await ready()
    let fresh = try FreshSession(session)
    let old = await work.vault().load()
    guard case .token(let oldToken, _) = old else {
      Issue.record("the vault must hold the token")
      return
    }
    let grant = try session.withLease { (lease: borrowing SessionLease) throws(BackendError) in
      try authority.changePassword(from: alicePassword, to: wrongPassword, for: fresh, under: lease)
    }
    #expect(try await work.vault().replace(oldToken, with: grant.token))
    try await authority.confirm(grant.token)
    #expect(try await store.check().id == grant.id)
    #expect(try await store.logOut() == .complete)
  }
}
