package import AuthAccounts
package import AuthAccountsTesting
import AuthCore
package import AuthCoreTesting
import AuthRules
import Synchronization

/// A database of one test, and what the test does to it.
package protocol TestDatabase: Sendable {
  /// The rules over it.
  var backend: any RulesBackend { get }

  /// Moves its clock.
  func advance(by duration: Duration)

  /// Takes it away, and puts it back.
  func setAvailable(_ isAvailable: Bool)
}

extension TestDatabase {
  /// Alice and bob for the contract of authorities.
  ///
  /// - Parameters:
  ///   - hasTwoStep: Whether alice has a second step, which she answers with recovery codes.
  ///   - isServed: Whether the checks go through a socket and the shipped server.
  /// - Returns: The subject.
  /// - Throws: What keeps the database or the server from being used.
  package func subject(hasTwoStep: Bool, isServed: Bool = false) throws -> AuthorityContract.Subject {
    let backend = backend
    try backend.registerBoth()
    var codes: [RecoveryCode] = []
    if hasTwoStep {
      let token = try backend.logIn().token
      _ = try backend.turnTwoStepOn(token)
      codes = try backend.rules.makeRecoveryCodes(token: token)
    }
    let spare = Mutex(codes)
    let code: @Sendable () async -> Secret = { Secret(spare.withLock { $0.removeLast() }.text) }
    let service = isServed ? try ServedRules(backend.rules) : nil
    return AuthorityContract.Subject(
      authority: try service?.authority() ?? backend, first: .alice, second: .bob,
      advance: { duration in withExtendedLifetime(service) { self.advance(by: duration) } },
      setAvailable: { self.setAvailable($0) }, code: hasTwoStep ? code : nil)
  }

  /// An empty database for the contract of backends, or with alice where it is shared.
  ///
  /// - Parameters:
  ///   - isServed: Whether the checks go through a socket and the shipped server.
  ///   - wrap: Makes another backend of the rules.
  /// - Returns: The subject.
  /// - Throws: What keeps the database or the server from being used.
  package func backendSubject(
    isServed: Bool = false, _ wrap: (any RulesBackend) -> any Backend = { $0 }
  ) throws -> BackendContract.Subject {
    let backend = backend
    let alice = backend.rules.isShared ? try backend.rules.installAlice() : nil
    let service = isServed ? try ServedRules(backend.rules) : nil
    return BackendContract.Subject(
      backend: try service?.authority() ?? wrap(backend), administrator: alice,
      advance: { duration in withExtendedLifetime(service) { self.advance(by: duration) } },
      setAvailable: { self.setAvailable($0) })
  }
}
