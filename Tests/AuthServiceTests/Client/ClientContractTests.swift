import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthCoreTesting
import Services
import Synchronization
import Testing

@testable import AuthService

/// Through a socket and the shipped server, the client keeps every contract that the rule book
/// keeps.
@Suite struct ClientContractTests {
  @Test(
    "the client keeps the contract of every authority, with and without a second step",
    arguments: AuthorityContract.checks, [false, true])
  func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
    let embedded = EmbeddedRules()
    try embedded.registerBoth()
    let secret = hasTwoStep ? try embedded.turnTwoStepOn() : TwoStepSecret(bytes: [], username: "alice")
    var made: [RecoveryCode] = []
    if hasTwoStep, check.name.hasPrefix("simultaneous logins") {
      embedded.moveWall(by: TOTP.period)
      guard
        case .challenged(let challenge)? = failure({
          try embedded.authority.logIn(EmbeddedRules.alice, limits: .standard)
        })?.kind
      else { throw WireFault.invalid("challenge") }
      let token = try embedded.authority.answer(secret.code(at: embedded.wallTime), to: challenge).token
      made = try embedded.rules.makeRecoveryCodes(token: token)
    }
    let spare = Mutex(made)
    let code: @Sendable () async -> Secret = {
      if let code = spare.withLock({ $0.popLast() }) { return Secret(code.text) }
      embedded.moveWall(by: TOTP.period)
      return secret.code(at: embedded.wallTime)
    }
    let service = try ServedRules(embedded.rules)
    let subject = AuthorityContract.Subject(
      authority: try service.authority(), first: EmbeddedRules.alice, second: EmbeddedRules.bob,
      advance: { embedded.advance(by: $0) }, setAvailable: { embedded.setAvailable($0) },
      code: hasTwoStep ? code : nil)
    let violation = await check.run(on: subject)
    withExtendedLifetime(service) {}
    #expect(violation == nil)
  }

  @Test("the client keeps the contract of every backend", arguments: BackendContract.checks)
  func backend(check: BackendContract.Check) async throws {
    let embedded = EmbeddedRules()
    let alice = try embedded.install()
    let service = try ServedRules(embedded.rules)
    let subject = BackendContract.Subject(
      backend: try service.authority(), administrator: alice, advance: { embedded.advance(by: $0) },
      setAvailable: { embedded.setAvailable($0) })
    let violation = await check.run(on: subject)
    withExtendedLifetime(service) {}
    #expect(violation == nil)
  }
}
