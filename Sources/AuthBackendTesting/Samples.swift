package import AuthBackend
package import AuthCore

/// The values that samples of operations are made of: fixed ones for the protocol, those of a
/// subject for the contract, random ones for a history.
package protocol SampleSource {
  /// A session, or a challenge.
  var token: SessionToken { mutating get }
  var newToken: SessionToken { mutating get }
  var new: NewSession { mutating get }
  /// A session by its public name.
  var session: SessionID { mutating get }
  var limits: LimitRequest { mutating get }
  var credentials: Credentials { mutating get }
  /// The password of the session's user.
  var password: Secret { mutating get }
  /// A password to change that one to.
  var newPassword: Secret { mutating get }
  /// A password for an account that has none, or whose password is forgotten.
  var firstPassword: Secret { mutating get }
  /// The answer to a challenge.
  var answer: Secret { mutating get }
  /// A code of the second step.
  var code: Secret { mutating get }
  /// A user, and a code that replaces a password.
  var recovery: (name: String, code: RecoveryCode) { mutating get }
  var endReason: EndReason { mutating get }
  /// A name to register.
  var name: String { mutating get }
  /// A name that an administrator registers.
  var otherName: String { mutating get }
  /// The name of another account.
  var username: Username { mutating get }
  var displayName: String { mutating get }
  var order: PaymentOrder { mutating get throws }
  var page: Page { mutating get }
  var eventPage: Page { mutating get }
  var sessionsPage: SessionsPage { mutating get }
  var accountsQuery: AccountsQuery { mutating get }
  var isDisabled: Bool { mutating get }
  var role: Role { mutating get }
  var registration: Registration { mutating get }
  var twoStepPolicy: TwoStepPolicy { mutating get }
  /// What an administrator reads.
  var subject: String { mutating get }
}

/// A sample of an operation: a test fails for an operation without one.
package struct Sample: Sendable {
  package let operation: any AnyOperation
  /// The operation with inputs from a source.
  package let request: @Sendable (inout any SampleSource) throws -> Request

  private init<Input, Output>(
    _ operation: BackendOperation<Input, Output>, _ input: @escaping @Sendable (inout any SampleSource) throws -> Input
  ) {
    self.operation = operation
    request = { operation.request(try input(&$0)) }
  }

  /// The samples of all operations.
  package static let all: [Sample] = [
    Sample(Operations.logIn) { ($0.credentials, $0.limits, $0.new) },
    Sample(Operations.reauthenticate) { ($0.token, $0.password, $0.limits, $0.newToken) },
    Sample(Operations.answer) { ($0.answer, $0.token, $0.new) },
    Sample(Operations.resume) { $0.token },
    Sample(Operations.lookUp) { $0.token },
    Sample(Operations.renew) { $0.token },
    Sample(Operations.confirm) { $0.token },
    Sample(Operations.revoke) { ($0.token, $0.endReason) },
    Sample(Operations.checkUsername) { $0.name },
    Sample(Operations.checkPassword) { ($0.firstPassword, $0.name) },
    Sample(Operations.checkForLogins) { _ in },
    Sample(Operations.register) { ($0.name, $0.firstPassword, $0.displayName) },
    Sample(Operations.profile) { $0.token },
    Sample(Operations.rename) { ($0.displayName, $0.token) },
    Sample(Operations.changePassword) { ($0.password, $0.newPassword, $0.token, $0.newToken) },
    Sample(Operations.deleteOwnAccount) { $0.token },
    Sample(Operations.makeRecoveryCodes) { $0.token },
    Sample(Operations.recover) {
      let (name, code) = $0.recovery
      return (name, code, $0.firstPassword)
    },
    Sample(Operations.resetPassword) { ($0.username, $0.token) },
    Sample(Operations.resetPasswordAsOwner) { $0.username },
    Sample(Operations.twoStep) { $0.token },
    Sample(Operations.beginTwoStep) { $0.token },
    Sample(Operations.confirmTwoStep) { ($0.code, $0.token) },
    Sample(Operations.endTwoStep) { ($0.code, $0.token) },
    Sample(Operations.twoStepPolicy) { $0.token },
    Sample(Operations.setTwoStepPolicy) { ($0.twoStepPolicy, $0.token) },
    Sample(Operations.sessions) { ($0.sessionsPage, $0.token) },
    Sample(Operations.revokeSession) { ($0.session, $0.token) },
    Sample(Operations.endAllSessions) { $0.token },
    Sample(Operations.earlierPayment) { (try $0.order, $0.token) },
    Sample(Operations.pay) { (try $0.order, $0.token) },
    Sample(Operations.receipts) { ($0.page, $0.token) },
    Sample(Operations.events) { (.own, $0.eventPage, $0.token) },
    Sample(Operations.allEvents) { (.everyone, $0.eventPage, $0.token) },
    Sample(Operations.accounts) { ($0.accountsQuery, $0.token) },
    Sample(Operations.account) { ($0.username, $0.token) },
    Sample(Operations.setDisabled) { ($0.isDisabled, $0.username, $0.token) },
    Sample(Operations.unlock) { ($0.username, $0.token) },
    Sample(Operations.setRole) { ($0.role, $0.username, $0.token) },
    Sample(Operations.deleteAccount) { ($0.username, $0.token) },
    Sample(Operations.registration) { $0.token },
    Sample(Operations.setRegistration) { ($0.registration, $0.token) },
    Sample(Operations.registerOther) { ($0.otherName, $0.token) },
    Sample(Operations.noteView) { ($0.subject, $0.token) },
  ]
}
