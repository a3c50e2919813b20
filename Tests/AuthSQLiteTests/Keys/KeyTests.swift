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

  @Test("an administrator's operations through the keys") func administration() async throws {
    let (_, authority, own, session) = try await ready()
    defer { withExtendedLifetime(own) {} }
    let (administrator, fresh) = (try AdminSession(session), try FreshSession(session))
    try session.withLease { (lease: borrowing SessionLease) throws(BackendError) in
      let bob = try Username("bob")
      #expect(try authority.accounts(AccountsQuery(limit: 50), for: administrator, under: lease).count == 2)
      #expect(try authority.setDisabled(true, account: bob, for: administrator, fresh, under: lease).isDisabled)
      #expect(try authority.account(named: bob, for: administrator, under: lease).isDisabled)
      #expect(try authority.unlock(account: bob, for: administrator, fresh, under: lease).failedAttempts == 0)
      #expect(
        try authority.allEvents(within: .all, matching: "", before: nil, limit: 50, for: administrator, under: lease)
          .map(\.name)
          .contains("user_disabled"))
    }
  }

  @Test("a key of one session does not open the lease of another") func mismatch() async throws {
    let (_, authority, own, session) = try await ready()
    defer { withExtendedLifetime(own) {} }
    let fresh = try FreshSession(session)
    let other = Workspace()
    let store = SessionStore(
      authority: authority, vault: other.vault(), clock: other.clock, timing: SessionTiming(watchesLimits: false),
      worksOn: .callingThread)
    _ = await store.restore()
    defer { withExtendedLifetime(store) {} }
    let bob = try await store.loggedIn(Credentials.password(username: "bob", password: bobPassword))
    let order = try authority.order("1")
    #expect(await refusal(of: order, authority, intended: fresh, leased: bob)?.code == "session_mismatch")
  }

  /// What a payment is refused with that is intended in one session and submitted in another, or
  /// the same.
  private func refusal(
    of order: PaymentOrder, _ authority: LocalAuthority, intended fresh: FreshSession, leased session: LoggedInSession
  ) async -> BackendError? {
    let intent = authority.prepare(order, for: fresh)
    do throws(LeaseError<BackendError>) {
      _ = try await session.withLease(using: intent) {
        (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
        try await intent.submit(under: lease)
      }
      return nil
    } catch {
      switch error {
      case .body(let failure): return failure
      case .ended(let reason):
        Issue.record("the lease did not begin: \(reason)")
        return nil
      }
    }
  }

  @Test("an effect of a session that ended elsewhere is refused, though its key is still active here")
  func endedElsewhere() async throws {
    let (work, authority, own, session) = try await ready()
    defer { withExtendedLifetime(own) {} }
    let fresh = try FreshSession(session)
    let elsewhere = work.authority()
    let admin = try elsewhere.logIn()
    _ = try elsewhere.rules.endAllSessions(token: admin.token)
    #expect(session.isLive)
    let order = try authority.order("1")
    let found = await refusal(of: order, authority, intended: fresh, leased: session)
    #expect(found?.kind == .session(.ended(.userAsked)))
    #expect(work.raw.number("SELECT count(*) FROM transfers WHERE payer <> 0") == 0)
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
