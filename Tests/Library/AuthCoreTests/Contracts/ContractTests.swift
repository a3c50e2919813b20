import AuthCore
import AuthCoreTesting
import Programs
import Testing

@Suite("The doubles pass the contracts, and broken implementations do not", .timeLimit(.minutes(10)))
struct ContractTests {
  static func authority(
    rotates: Bool = false, spends: Bool = false, hasSecondStep: Bool = false,
    _ wrap: (ScriptedAuthority) -> any Authority = { $0 }
  ) -> AuthorityContract.Subject {
    let world = World()
    let authority = world.authority
    authority.setRotation(rotates)
    if spends { authority.setExchange(.spendsOld) }
    authority.setAccessTokens(lasting: .seconds(300))
    if hasSecondStep { authority.setSecondStep(of: "alice", to: World.code) }
    let code: @Sendable () async -> Secret = { World.code }
    return AuthorityContract.Subject(
      authority: wrap(authority), first: World.alice, second: World.bob,
      advance: { world.clock.advance(by: $0) },
      setAvailable: { available in
        for operation in ScriptedAuthority.Operation.allCases {
          authority.fail(operation, with: available ? nil : .unavailable(World.offline))
        }
      }, code: hasSecondStep ? code : nil, stranger: wrap(ScriptedAuthority(clock: world.clock, name: "other/")))
  }

  static func vault(
    forProcesses: Bool = true, _ wrap: (InMemoryVault) -> any SessionVault = { $0 }
  ) -> SessionVaultContract.Subject {
    let vault = InMemoryVault()
    let wrapped = wrap(vault)
    return SessionVaultContract.Subject(
      vault: wrapped, reopen: { wrapped }, corrupt: { vault.content = .corrupt(World.evidence) },
      evidence: { vault.evidence.count }, locksAcrossProcesses: forProcesses)
  }

  @Test(
    "the scripted authority, with and without rotation, which may spend the old token, with and without a second step",
    arguments: AuthorityContract.checks, [(false, false), (true, false), (false, true), (true, true)])
  func scriptedAuthority(check: AuthorityContract.Check, forms: (rotates: Bool, hasSecondStep: Bool)) async {
    for spends in [false, true] {
      let subject = Self.authority(rotates: forms.rotates, spends: spends, hasSecondStep: forms.hasSecondStep)
      let violation = await check.run(on: subject)
      #expect(violation == nil)
    }
  }

  @Test("the vault in memory", arguments: SessionVaultContract.checks)
  func inMemoryVault(check: SessionVaultContract.Check) async {
    for subject in [Self.vault(), Self.vault(forProcesses: false) { OneProcessVault(base: $0) }] {
      let violation = await check.run(on: subject)
      #expect(violation == nil)
    }
  }

  @Test("the vault that stores nothing", arguments: SessionVaultContract.checks)
  func transientVault(check: SessionVaultContract.Check) async {
    let violation = await check.run(on: SessionVaultContract.Subject(vault: TransientVault()))
    #expect(violation == nil)
  }

  private func findings(_ flaw: BrokenAuthority.Flaw) async -> [ContractViolation] {
    func violations(spends: Bool = false, hasSecondStep: Bool = false) async -> [ContractViolation] {
      await AuthorityContract.violations {
        Self.authority(rotates: true, spends: spends, hasSecondStep: hasSecondStep) {
          BrokenAuthority(base: $0, flaw: flaw)
        }
      }
    }
    // Some defects appear only if an account has a second step, or if an exchange spends the old
    // token.
    var found = await violations()
    if found.isEmpty { found = await violations(hasSecondStep: true) }
    return found.isEmpty ? await violations(spends: true) : found
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
      let found = await SessionVaultContract.violations { Self.vault { BrokenVault($0, flaw) } }
      #expect(!found.isEmpty, "\(flaw)")
      failed.formUnion(found.map(\.check))
    }
    #expect(SessionVaultContract.checks.map(\.name).sorted() == failed.sorted())
  }

  @Test("every authority, vault and backend of the library is tested with its contract")
  func conformers() throws {
    var found: Set<String> = []
    for file in try SourceFile.all(below: "Sources") {
      for (type, protocols) in try file.conformances {
        // Every backend is an authority.
        let rules = protocols.contains("Backend") ? protocols.union(["Authority"]) : protocols
        found.formUnion(rules.intersection(["Authority", "Backend", "SessionVault"]).map { "\(type): \($0)" })
      }
    }
    // First write a test like those in `ContractTests`, then add its type and its folder here.
    let tested = [
      "ScriptedAuthority: Authority": "AuthCoreTests", "InMemoryVault: SessionVault": "AuthCoreTests",
      "TransientVault: SessionVault": "AuthCoreTests",
      "FileVault: SessionVault": "AuthDeviceTests", "LocalAuthority: Authority": "AuthSQLiteTests",
      "LocalAuthority: Backend": "AuthSQLiteTests", "OAuthAuthority: Authority": "AuthOAuthTests",
      "ServiceAuthority: Authority": "AuthServiceTests", "ServiceAuthority: Backend": "AuthServiceTests",
    ]
    // These forward calls, or refuse all.
    let others: Set = [
      "CommandBackend: Authority", "CommandBackend: Backend", "KeptVault: SessionVault",
    ]
    #expect(found == others.union(tested.keys), "run the contract in a test, and name the type here")
    for (conformer, folder) in tested {
      let checks = "\(conformer.split(separator: " ")[1])Contract.checks"
      let tests = try Repository.files(below: SourceTree.folder(of: folder), suffix: ".swift").map(Repository.text(of:))
      #expect(tests.contains { $0.contains(checks) }, "no test in \(folder) has \(checks)")
    }
  }
}
