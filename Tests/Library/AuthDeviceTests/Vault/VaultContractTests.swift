import AuthCoreTesting
import AuthDevice
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct VaultContractTests {
  @Test("the file vault keeps the contract of every vault", arguments: SessionVaultContract.checks)
  func vault(check: SessionVaultContract.Check) async {
    let work = Workspace()
    let vault = work.vault()
    let subject = SessionVaultContract.Subject(
      vault: vault, reopen: { work.vault() },
      corrupt: {
        work.run("mkdir -p -m 700 '\(work.state)'; echo garbage > '\(vault.path)'; chmod 600 '\(vault.path)'")
      },
      evidence: { Int(work.run("ls '\(work.state)' | grep -c corrupt")) ?? 0 }, locksAcrossProcesses: true)
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }
}
