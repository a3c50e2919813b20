import AuthBackendTesting
import AuthCoreTesting
import Services
import Testing

/// Through a socket and the shipped server, the client keeps every contract that the rule book
/// keeps.
@Suite struct ClientContractTests {
  @Test(
    "the client keeps the contract of every authority, with and without a second step",
    arguments: AuthorityContract.checks, [false, true])
  func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
    let subject = try Workspace(isShared: true).subject(hasTwoStep: hasTwoStep, isServed: true)
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }

  @Test("the client keeps the contract of every backend", arguments: BackendContract.checks)
  func backend(check: BackendContract.Check) async throws {
    let violation = await check.run(on: try Workspace(isShared: true).backendSubject(isServed: true))
    #expect(violation == nil)
  }
}
