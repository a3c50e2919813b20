import AuthAccountsTesting
import AuthCoreTesting
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct ContractTests {
  @Test(
    "the embedded authority keeps the contract of every authority, with and without a second step",
    arguments: AuthorityContract.checks, [false, true])
  func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
    let violation = await check.run(on: try Workspace().subject(hasTwoStep: hasTwoStep))
    #expect(violation == nil)
  }

  @Test("the embedded backend keeps the contract of every backend", arguments: BackendContract.checks)
  func backend(check: BackendContract.Check) async throws {
    // In a name, so that a failure shows what was violated.
    let violation = await check.run(on: try Workspace().backendSubject())
    #expect(violation == nil)
  }
}
