import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthCoreTesting
import AuthLocal
import Testing

@Suite struct ContractTests {
  @Test("the embedded authority keeps the contract of every authority", arguments: AuthorityContract.checks)
  func authority(check: AuthorityContract.Check) async throws {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let subject = AuthorityContract.Subject(
      authority: authority, first: Credentials(username: "alice", password: alicePassword),
      second: Credentials(username: "bob", password: bobPassword),
      advance: { work.clock.advance(by: $0) },
      setAvailable: { isAvailable in
        work.run("mv '\(work.data)\(isAvailable ? ".away" : "")' '\(work.data)\(isAvailable ? "" : ".away")'")
      })
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }

  @Test("the embedded backend keeps the contract of every backend", arguments: BackendContract.checks)
  func backend(check: BackendContract.Check) async {
    #expect(await check.run(on: Workspace().backendSubject()) == nil)
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
      evidence: { Int(work.run("ls '\(work.state)' | grep -c corrupt")) ?? 0 })
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }
}

extension Workspace {
  /// An empty embedded backend for the contract, or what `wrap` makes of it.
  func backendSubject(_ wrap: (LocalAuthority) -> any Backend = { $0 }) -> BackendContract.Subject {
    BackendContract.Subject(
      backend: wrap(authority()), advance: { self.clock.advance(by: $0) },
      setAvailable: { isAvailable in
        self.run("mv '\(self.data)\(isAvailable ? ".away" : "")' '\(self.data)\(isAvailable ? "" : ".away")'")
      })
  }
}
