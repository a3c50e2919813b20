import AuthCore
import AuthCoreTesting
import Testing

@Suite("The doubles pass the contracts")
struct ContractTests {
  static func authority(
    rotates: Bool = false, hasSecondStep: Bool = false, _ wrap: (ScriptedAuthority) -> any Authority = { $0 }
  ) -> AuthorityContract.Subject {
    let world = World()
    let authority = world.authority
    authority.setRotation(rotates)
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
      }, code: hasSecondStep ? code : nil)
  }

  static func vault(_ wrap: (InMemoryVault) -> any SessionVault = { $0 }) -> SessionVaultContract.Subject {
    let vault = InMemoryVault()
    let wrapped = wrap(vault)
    return SessionVaultContract.Subject(
      vault: wrapped, reopen: { wrapped }, corrupt: { vault.content = .corrupt(World.evidence) },
      evidence: { vault.evidence.count })
  }

  @Test(
    "the scripted authority, with and without rotation, with and without a second step",
    arguments: AuthorityContract.checks, [(false, false), (true, false), (false, true), (true, true)])
  func scriptedAuthority(check: AuthorityContract.Check, forms: (rotates: Bool, hasSecondStep: Bool)) async {
    let subject = Self.authority(rotates: forms.rotates, hasSecondStep: forms.hasSecondStep)
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }

  @Test("the vault in memory", arguments: SessionVaultContract.checks)
  func inMemoryVault(check: SessionVaultContract.Check) async {
    let violation = await check.run(on: Self.vault())
    #expect(violation == nil)
  }

  @Test("every authority, vault and backend of the library is tested with its contract")
  func conformers() throws {
    var found: [String: String] = [:]
    for file in try SourceFile.all(below: "Sources") {
      for (type, protocols) in try file.conformances {
        // Every backend is an authority.
        let isBackend = protocols.contains("Backend")
        let isAuthority = isBackend || protocols.contains("Authority")
        let isVault = protocols.contains("SessionVault")
        let rules = ["Authority": isAuthority, "Backend": isBackend, "SessionVault": isVault]
        for (rule, isKept) in rules where isKept { found["\(type): \(rule)"] = file.path }
      }
    }
    // First write a test like those in `ContractTests`, then add its type here.
    let tested: Set = [
      "ScriptedAuthority: Authority", "InMemoryVault: SessionVault", "FileVault: SessionVault",
      "LocalAuthority: Authority", "LocalAuthority: Backend", "OAuthAuthority: Authority",
      "ServiceAuthority: Authority", "ServiceAuthority: Backend",
    ]
    // These forward calls, or refuse all.
    let others: Set = [
      "CommandBackend: Authority", "CommandBackend: Backend", "DisabledSessionVault: SessionVault",
    ]
    #expect(Set(found.keys) == tested.union(others), "run the contract in a test, and name the type here")
    for (conformer, path) in found where tested.contains(conformer) {
      let module = path.split(separator: "/")[1].replacing("Testing", with: "")
      // The tests of the vault of this device are next to those of the database.
      let folder = "Tests/\(module == "AuthDevice" ? "AuthSQLite" : module)Tests"
      let arguments = "arguments: \(conformer.split(separator: " ")[1])Contract.checks"
      let tests = try Repository.files(below: folder, suffix: ".swift").map(Repository.text(of:))
      #expect(tests.contains { $0.contains(arguments) }, "no test in \(folder) has \(arguments)")
    }
  }
}
