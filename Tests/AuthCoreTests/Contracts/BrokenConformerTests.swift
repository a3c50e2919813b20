import AuthCore
import AuthCoreTesting
import Testing

@Suite("The contracts find broken implementations")
struct BrokenConformerTests {
  private func findings(_ flaw: BrokenAuthority.Flaw) async -> [ContractViolation] {
    await AuthorityContract.violations {
      ContractTests.authority(rotates: true, hasSecondStep: flaw.isOfSecondStep) {
        BrokenAuthority(base: $0, flaw: flaw)
      }
    }
  }

  @Test("every broken authority is found", arguments: BrokenAuthority.Flaw.allCases)
  func authority(flaw: BrokenAuthority.Flaw) async {
    #expect(!(await findings(flaw)).isEmpty)
  }

  @Test("every check of an authority fails for a broken one")
  func everyAuthorityCheck() async {
    var failed: Set<String> = []
    for flaw in BrokenAuthority.Flaw.allCases {
      failed.formUnion(await findings(flaw).map(\.check))
    }
    #expect(AuthorityContract.checks.map(\.name).filter { !failed.contains($0) } == [])
  }

  @Test("every broken vault is found", arguments: BrokenVault.Flaw.allCases)
  func vault(flaw: BrokenVault.Flaw) async {
    let violations = await SessionVaultContract.violations { ContractTests.vault { BrokenVault($0, flaw) } }
    #expect(!violations.isEmpty)
  }

  @Test("every check of a vault fails for a broken one")
  func everyVaultCheck() async {
    var failed: Set<String> = []
    for flaw in BrokenVault.Flaw.allCases {
      failed.formUnion(
        await SessionVaultContract.violations { ContractTests.vault { BrokenVault($0, flaw) } }.map(\.check))
    }
    #expect(SessionVaultContract.checks.map(\.name).filter { !failed.contains($0) } == [])
  }

  @Test("names of checks are unique")
  func names() {
    #expect(Set(AuthorityContract.checks.map(\.name)).count == AuthorityContract.checks.count)
    #expect(Set(SessionVaultContract.checks.map(\.name)).count == SessionVaultContract.checks.count)
  }
}
