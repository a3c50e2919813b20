package import AuthBackend
package import AuthBackendTesting
import AuthCore
package import AuthCoreTesting
package import AuthSQLite
import Synchronization

extension Workspace {
  /// Alice and bob for the contract of authorities, at the embedded authority or at what `wrap`
  /// makes of it.
  package func subject(
    for check: AuthorityContract.Check, hasTwoStep: Bool, _ wrap: (LocalAuthority) throws -> any Backend = { $0 }
  ) throws -> AuthorityContract.Subject {
    let authority = authority()
    try authority.registerBoth()
    let secret = hasTwoStep ? try authority.turnTwoStepOn() : nil
    // Codes of the app open in the order of their time steps, and logins at once have no order.
    var recoveryCodes: [RecoveryCode] = []
    if let secret, check.name.hasPrefix("simultaneous logins") {
      let token = try authority.answer(wall.nextCode(secret), to: try authority.challenge()).token
      recoveryCodes = try authority.rules.makeRecoveryCodes(token: token)
    }
    let spare = Mutex(recoveryCodes)
    let code: @Sendable () async -> Secret = { [wall] in
      if let code = spare.withLock({ $0.popLast() }) { return Secret(code.text) }
      return secret.map { wall.nextCode($0) } ?? Secret("")
    }
    return AuthorityContract.Subject(
      authority: try wrap(authority), first: .alice, second: .bob, advance: { self.advance(by: $0) },
      setAvailable: { self.setAvailable($0) }, code: hasTwoStep ? code : nil)
  }

  /// An empty database for the contract of backends, or with alice where it is shared.
  package func backendSubject(
    _ wrap: (LocalAuthority) throws -> any Backend = { $0 }
  ) throws -> BackendContract.Subject {
    let authority = authority()
    let alice = authority.rules.isShared ? try authority.rules.installAlice() : nil
    return BackendContract.Subject(
      backend: try wrap(authority), administrator: alice, advance: { self.advance(by: $0) },
      setAvailable: { self.setAvailable($0) })
  }
}
