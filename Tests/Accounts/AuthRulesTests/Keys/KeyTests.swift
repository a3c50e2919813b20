import AuthAccounts
import AuthAccountsTesting
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Foundation
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct KeyTests {
  /// Each operation under a lease, with the keys that its method takes and checks.
  private static func checked() throws -> Set<String> {
    let sources = Workspace.repository + "/Sources/Accounts/AuthAccounts/"
    let texts = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOfFile: sources + $0, encoding: .utf8) }
    let methods = texts.joined().split(separator: #/\n  (?:public|package) (?:consuming )?func /#).filter { method in
      method.prefix { $0 != "{" }.contains("under lease:")
    }
    return try Set(
      methods.map { method in
        let operation = try #require(method.firstMatch(of: /Operations\.(\w+)/), "\(method)")
        let checked = method.firstMatch(of: /lease\.(?:token\(with: |require\()([^)]*)\)/)?.output.1 ?? ""
        let keys = method.matches(of: /(\w+): (?:consuming )?(AdminSession|FreshSession)/)
          .filter { checked.split(separator: ", ").contains("\($0.output.1).session") }
          .map { $0.output.2 == "AdminSession" ? " role" : " freshness" }
        // A payment intent is made with a fresh session, and checks that it is the lease's.
        return operation.output.1 + (checked == "session" ? " freshness" : keys.joined())
      })
  }

  @Test("each operation under a lease takes and checks the keys that it declares") func operations() throws {
    let needed = Sample.all.compactMap { sample in
      sample.operation.needs.map {
        sample.operation.name + ($0.role == nil ? "" : " role") + ($0.isFresh ? " freshness" : "")
      }
    }
    let others = try Set(needed).symmetricDifference(Self.checked())
    #expect(others == [], "give the operation a sample, and let its method check the keys that the operation needs")
  }

  @Test("a key of another session than the lease's is refused, and nothing is done") func otherKeys() async throws {
    let (work, authority) = try Workspace.inhabited()
    // The clock moves when somebody sleeps, so nothing sleeps: no timer runs, and all work is done
    // at once.
    func logIn(_ context: ContextName) async throws -> (SessionStore, LoggedInSession) {
      let store = SessionStore(
        authority: authority, vault: work.vault(context), clock: work.clock,
        timing: SessionTiming(watchesLimits: false), executor: .callingThread)
      _ = await store.restore()
      return (store, try await store.loggedIn(Credentials.alice))
    }
    let (store, session) = try await logIn(.standard)
    let (elsewhere, other) = try await logIn(try #require(ContextName("other")))
    let before = work.raw.number("SELECT count(*) FROM events")
    let (bob, order) = (try Username("bob"), try PaymentOrder("12.50"))
    let (fresh, otherFresh) = (try FreshSession(session), try FreshSession(other))
    let (administrator, otherAdministrator) = (try AdminSession(session), try AdminSession(other))
    let refusals = try session.withLease { (lease: borrowing SessionLease) in
      [
        code { try authority.deleteAccount(for: otherFresh, under: lease) },
        code { _ = try authority.account(named: bob, for: otherAdministrator, under: lease) },
        code { try authority.deleteAccount(bob, for: otherAdministrator, fresh, under: lease) },
        code { try authority.deleteAccount(bob, for: administrator, otherFresh, under: lease) },
      ]
    }
    #expect(refusals == Array(repeating: "session_mismatch", count: 4))
    await #expect(throws: LeaseError<BackendError>.body(.refused(.sessionMismatch))) {
      try await session.withLease(using: authority.prepare(order, for: otherFresh)) {
        (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
        try await intent.submit(under: lease)
      }
    }
    #expect(work.raw.number("SELECT count(*) FROM events") == before)
    withExtendedLifetime((store, elsewhere)) {}
  }
}
