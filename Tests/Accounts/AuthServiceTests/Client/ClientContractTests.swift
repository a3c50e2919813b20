import AuthAccountsTesting
import AuthCoreTesting
import Programs
import Services
import Testing

/// Through a socket and the shipped server, the client keeps every contract that the rule book
/// keeps.
///
/// `make test` checks a sample here; the tests of AuthSQLite check all contracts without a client.
@Suite(.timeLimit(.minutes(10))) struct ClientContractTests {
  @Test(
    "the client keeps the contract of every authority, with and without a second step",
    arguments: Effort.sample(AuthorityContract.checks, 20), [false, true])
  func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
    let subject = try Workspace(isShared: true).subject(hasTwoStep: hasTwoStep, isServed: true)
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }

  @Test("the client keeps the contract of every backend", arguments: Effort.sample(BackendContract.checks, 30))
  func backend(check: BackendContract.Check) async throws {
    let violation = await check.run(on: try Workspace(isShared: true).backendSubject(isServed: true))
    #expect(violation == nil)
  }
}
