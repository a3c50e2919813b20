import AuthBackendTesting
import AuthCoreTesting
import AuthSQLite
import Services
import Testing

/// Through a socket and the shipped server, the client keeps every contract that the rule book
/// keeps.
@Suite struct ClientContractTests {
  @Test(
    "the client keeps the contract of every authority, with and without a second step",
    arguments: AuthorityContract.checks, [false, true])
  func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
    var service: ServedRules?
    let subject = try Workspace(isShared: true).subject(for: check, hasTwoStep: hasTwoStep) { embedded in
      let started = try ServedRules(embedded.rules)
      service = started
      return try started.authority()
    }
    let violation = await check.run(on: subject)
    withExtendedLifetime(service) {}
    #expect(violation == nil)
  }

  @Test("the client keeps the contract of every backend", arguments: BackendContract.checks)
  func backend(check: BackendContract.Check) async throws {
    var service: ServedRules?
    let subject = try Workspace(isShared: true).backendSubject { embedded in
      let started = try ServedRules(embedded.rules)
      service = started
      return try started.authority()
    }
    let violation = await check.run(on: subject)
    withExtendedLifetime(service) {}
    #expect(violation == nil)
  }
}
