import AuthBackend
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Services
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

  /// An operation under a lease, with the keys that it takes.
  private struct Operation {
    let name: String
    let run: (LocalAuthority, FreshSession, AdminSession, borrowing SessionLease) throws -> Void

    init(
      _ name: String,
      _ run: @escaping (LocalAuthority, FreshSession, AdminSession, borrowing SessionLease) throws -> Void
    ) {
      (self.name, self.run) = (name, run)
    }

    static func all(_ bob: Username, _ order: PaymentOrder) -> [Operation] {
      let code = Secret("123456")
      return [
        Operation("changePassword freshness") {
          _ = try $0.changePassword(from: alicePassword, to: wrongPassword, for: $1, under: $3)
        },
        Operation("deleteAccount freshness") { try $0.deleteAccount(for: $1, under: $3) },
        Operation("makeRecoveryCodes freshness") { _ = try $0.makeRecoveryCodes(for: $1, under: $3) },
        Operation("beginTwoStep freshness") { _ = try $0.beginTwoStep(for: $1, under: $3) },
        Operation("confirmTwoStep freshness") { try $0.confirmTwoStep(code, for: $1, under: $3) },
        Operation("endTwoStep freshness") { try $0.endTwoStep(code, for: $1, under: $3) },
        Operation("revokeSession freshness") { try $0.revokeSession($1.session.id, for: $1, under: $3) },
        Operation("pay freshness") { _ = try $0.pay($0.prepare(order, for: $1), under: $3) },
        Operation("allEvents role") {
          _ = try $0.allEvents(within: .all, matching: "", before: nil, limit: 1, for: $2, under: $3)
        },
        Operation("accounts role") { _ = try $0.accounts(AccountsQuery(limit: 1), for: $2, under: $3) },
        Operation("account role") { _ = try $0.account(named: bob, for: $2, under: $3) },
        Operation("twoStepPolicy role") { _ = try $0.twoStepPolicy(for: $2, under: $3) },
        Operation("registration role") { _ = try $0.registration(for: $2, under: $3) },
        Operation("noteView role") { try $0.noteView(of: "accounts", for: $2, under: $3) },
        Operation("resetPassword role freshness") { _ = try $0.resetPassword(of: bob, for: $2, $1, under: $3) },
        Operation("setDisabled role freshness") { _ = try $0.setDisabled(true, account: bob, for: $2, $1, under: $3) },
        Operation("unlock role freshness") { _ = try $0.unlock(account: bob, for: $2, $1, under: $3) },
        Operation("setRole role freshness") {
          _ = try $0.setRole(.administrator, account: bob, for: $2, $1, under: $3)
        },
        Operation("deleteAccount role freshness") { try $0.deleteAccount(bob, for: $2, $1, under: $3) },
        Operation("setTwoStepPolicy role freshness") { try $0.setTwoStepPolicy(.required, for: $2, $1, under: $3) },
        Operation("setRegistration role freshness") { try $0.setRegistration(.closed, for: $2, $1, under: $3) },
        Operation("registerOther role freshness") {
          _ = try $0.registerOther(username: "erin", for: $2, $1, under: $3)
        },
      ]
    }
  }

  @Test("each operation refuses each key of another session than the lease's, and does nothing")
  func otherKeys() async throws {
    let (work, authority, store, session) = try await ready()
    let elsewhere = SessionStore(
      authority: authority, vault: work.vault(try #require(ContextName("other"))), clock: work.clock,
      timing: SessionTiming(watchesLimits: false), worksOn: .callingThread)
    _ = await elsewhere.restore()
    let other = try await elsewhere.loggedIn(Credentials.password(username: "alice", password: alicePassword))
    let before = work.raw.number("SELECT count(*) FROM events")
    let operations = Operation.all(try Username("bob"), try authority.order("12.50"))
    let declared = try BrokenBackendTests.declared().filter { $0.contains(" ") }
    #expect(declared.symmetricDifference(operations.map(\.name)) == [], "in the list above, and with which keys")
    for operation in operations {
      for key in ["freshness", "role"] where operation.name.contains(key) {
        let fresh = try FreshSession(key == "freshness" ? other : session)
        let administrator = try AdminSession(key == "role" ? other : session)
        let refusal = try session.withLease { (lease: borrowing SessionLease) in
          code { try operation.run(authority, fresh, administrator, lease) }
        }
        #expect(refusal == "session_mismatch", "\(operation.name), \(key)")
      }
    }
    #expect(work.raw.number("SELECT count(*) FROM events") == before)
    withExtendedLifetime((store, elsewhere)) {}
  }
}
