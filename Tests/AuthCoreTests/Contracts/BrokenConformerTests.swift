import AuthCore
import AuthCoreTesting
import Testing

@Suite("The contracts find broken implementations")
struct BrokenConformerTests {
  private func findings(_ flaw: BrokenAuthority.Flaw) async -> [ContractViolation] {
    func violations(hasSecondStep: Bool) async -> [ContractViolation] {
      await AuthorityContract.violations {
        ContractTests.authority(rotates: true, hasSecondStep: hasSecondStep) { BrokenAuthority(base: $0, flaw: flaw) }
      }
    }
    // Some defects appear only if an account has a second step.
    let found = await violations(hasSecondStep: false)
    return found.isEmpty ? await violations(hasSecondStep: true) : found
  }

  @Test("every broken authority is found, and every check of an authority finds one")
  func authority() async {
    var failed: Set<String> = []
    for flaw in BrokenAuthority.Flaw.allCases {
      let found = await findings(flaw).map(\.check)
      #expect(!found.isEmpty, "\(flaw)")
      failed.formUnion(found)
    }
    // Names of checks are unique.
    #expect(AuthorityContract.checks.map(\.name).sorted() == failed.sorted())
  }

  @Test("every broken vault is found, and every check of a vault finds one")
  func vault() async {
    var failed: Set<String> = []
    for flaw in BrokenVault.Flaw.allCases {
      let found = await SessionVaultContract.violations { ContractTests.vault { BrokenVault($0, flaw) } }
      #expect(!found.isEmpty, "\(flaw)")
      failed.formUnion(found.map(\.check))
    }
    #expect(SessionVaultContract.checks.map(\.name).sorted() == failed.sorted())
  }
}
