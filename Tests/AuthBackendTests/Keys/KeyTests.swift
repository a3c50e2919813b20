import AuthBackend
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Services
import Testing

@Suite struct KeyTests {
  /// An operation under a lease, with the keys that it takes.
  private struct Operation {
    let name: String
    let run: (LocalAuthority, FreshSession, AdminSession, borrowing SessionLease) throws -> Void

    static func all(_ bob: Username, _ order: PaymentOrder) -> [Operation] {
      let code = Secret("123456")
      return [
        Operation(name: "changePassword freshness") {
          _ = try $0.changePassword(from: alicePassword, to: wrongPassword, for: $1, under: $3)
        },
        Operation(name: "deleteAccount freshness") { try $0.deleteAccount(for: $1, under: $3) },
        Operation(name: "makeRecoveryCodes freshness") { _ = try $0.makeRecoveryCodes(for: $1, under: $3) },
        Operation(name: "beginTwoStep freshness") { _ = try $0.beginTwoStep(for: $1, under: $3) },
        Operation(name: "confirmTwoStep freshness") { try $0.confirmTwoStep(code, for: $1, under: $3) },
        Operation(name: "endTwoStep freshness") { try $0.endTwoStep(code, for: $1, under: $3) },
        Operation(name: "revokeSession freshness") { try $0.revokeSession($1.session.id, for: $1, under: $3) },
        Operation(name: "pay freshness") { _ = try $0.pay($0.prepare(order, for: $1), under: $3) },
        Operation(name: "allEvents role") { _ = try $0.allEvents(Page(limit: 1), for: $2, under: $3) },
        Operation(name: "accounts role") { _ = try $0.accounts(AccountsQuery(limit: 1), for: $2, under: $3) },
        Operation(name: "account role") { _ = try $0.account(named: bob, for: $2, under: $3) },
        Operation(name: "twoStepPolicy role") { _ = try $0.twoStepPolicy(for: $2, under: $3) },
        Operation(name: "registration role") { _ = try $0.registration(for: $2, under: $3) },
        Operation(name: "noteView role") { try $0.noteView(of: "accounts", for: $2, under: $3) },
        Operation(name: "resetPassword role freshness") { _ = try $0.resetPassword(of: bob, for: $2, $1, under: $3) },
        Operation(name: "setDisabled role freshness") {
          _ = try $0.setDisabled(true, account: bob, for: $2, $1, under: $3)
        },
        Operation(name: "unlock role freshness") { _ = try $0.unlock(account: bob, for: $2, $1, under: $3) },
        Operation(name: "setRole role freshness") {
          _ = try $0.setRole(.administrator, account: bob, for: $2, $1, under: $3)
        },
        Operation(name: "deleteAccount role freshness") { try $0.deleteAccount(bob, for: $2, $1, under: $3) },
        Operation(name: "setTwoStepPolicy role freshness") {
          try $0.setTwoStepPolicy(.required, for: $2, $1, under: $3)
        },
        Operation(name: "setRegistration role freshness") { try $0.setRegistration(.closed, for: $2, $1, under: $3) },
        Operation(name: "registerOther role freshness") {
          _ = try $0.registerOther(username: "erin", for: $2, $1, under: $3)
        },
      ]
    }
  }

  @Test("each operation refuses each key of another session than the lease's, and does nothing")
  func otherKeys() async throws {
    let (work, authority) = try Workspace.inhabited()
    // The clock moves when somebody sleeps, so nothing sleeps: no timer runs, and all work is done
    // at once.
    func logIn(_ context: ContextName) async throws -> (SessionStore, LoggedInSession) {
      let store = SessionStore(
        authority: authority, vault: work.vault(context), clock: work.clock,
        timing: SessionTiming(watchesLimits: false), worksOn: .callingThread)
      _ = await store.restore()
      return (store, try await store.loggedIn(Credentials.alice))
    }
    let (store, session) = try await logIn(.standard)
    let (elsewhere, other) = try await logIn(try #require(ContextName("other")))
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
