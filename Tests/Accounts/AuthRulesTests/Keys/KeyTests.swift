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
  // `ask` does not compile without the keys: see the programs with operations in
  // fixtures/must-not-compile.
  @Test("programs reach a backend only with tokens that a lease made from the keys of an operation")
  func operations() throws {
    let sources = Workspace.repository + "/Sources/"
    let texts = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
      .map { (name: $0, text: try String(contentsOfFile: sources + $0, encoding: .utf8)) }
    func files(with text: String) -> [String] {
      texts.filter { $0.text.contains(text) }.map { String($0.name.split(separator: "/").last ?? "") }.sorted()
    }
    // The second one finds out whether the session of a missing file is active.
    #expect(files(with: "sessionToken") == ["CheckedToken.swift", "SessionChecks.swift", "SessionLease.swift"])
    // The service performs operations by its rules.
    #expect(files(with: "perform(Operations.") == ["AuthServer+Requests.swift", "ChangeFeed.swift"])
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
