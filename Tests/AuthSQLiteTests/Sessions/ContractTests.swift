import AuthBackendTesting
import AuthCoreTesting
import AuthDevice
import Services
import Testing

@Suite struct ContractTests {
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

  @Test("the file vault keeps the contract of every vault", arguments: SessionVaultContract.checks)
  func vault(check: SessionVaultContract.Check) async {
    let work = Workspace()
    let vault = work.vault()
    let subject = SessionVaultContract.Subject(
      vault: vault, reopen: { work.vault() },
      corrupt: {
        work.run("mkdir -p -m 700 '\(work.state)'; echo garbage > '\(vault.path)'; chmod 600 '\(vault.path)'")
      },
      evidence: { Int(work.run("ls '\(work.state)' | grep -c corrupt")) ?? 0 }, claimsForProcesses: true)
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }
}
