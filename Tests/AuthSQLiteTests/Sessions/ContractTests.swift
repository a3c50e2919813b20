import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Synchronization
import Testing

@Suite struct ContractTests {
  @Test(
    "the embedded authority keeps the contract of every authority, with and without a second step",
    arguments: AuthorityContract.checks, [false, true])
  func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
    let work = Workspace()
    let wall = MovableTime()
    let authority = work.authority(wallClock: { wall.now })
    try authority.registerBoth()
    let secret = hasTwoStep ? try authority.turnTwoStepOn() : TwoStepSecret(bytes: [], username: "alice")
    // Codes of the app open in the order of their time steps, and logins at once have no order.
    let recoveryCodes =
      hasTwoStep && check.name.hasPrefix("simultaneous logins")
      ? try authority.makeRecoveryCodes(answering: secret, at: wall) : []
    let spare = Mutex(recoveryCodes)
    let code: @Sendable () async -> Secret = {
      if let code = spare.withLock({ $0.popLast() }) { return Secret(code.text) }
      // The code of another time step each time.
      wall.move(by: TOTP.period)
      return secret.code(at: wall.now)
    }
    let subject = AuthorityContract.Subject(
      authority: authority, first: Credentials.password(username: "alice", password: alicePassword),
      second: Credentials.password(username: "bob", password: bobPassword),
      advance: { work.clock.advance(by: $0) },
      setAvailable: { isAvailable in
        work.run("mv '\(work.data)\(isAvailable ? ".away" : "")' '\(work.data)\(isAvailable ? "" : ".away")'")
      },
      code: hasTwoStep ? code : nil)
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }

  @Test("the embedded backend keeps the contract of every backend", arguments: BackendContract.checks)
  func backend(check: BackendContract.Check) async {
    // In a name, so that a failure shows what was violated.
    let violation = await check.run(on: Workspace().backendSubject())
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
      evidence: { Int(work.run("ls '\(work.state)' | grep -c corrupt")) ?? 0 })
    let violation = await check.run(on: subject)
    #expect(violation == nil)
  }
}

extension LocalAuthority {
  fileprivate func makeRecoveryCodes(
    answering secret: TwoStepSecret, at wall: MovableTime
  ) throws -> [RecoveryCode] {
    wall.move(by: TOTP.period)
    return try rules.makeRecoveryCodes(token: try answer(secret.code(at: wall.now), to: try challenge()).token)
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
