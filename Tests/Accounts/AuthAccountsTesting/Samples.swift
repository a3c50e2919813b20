package import AuthAccounts
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
  var isMember: Bool { mutating get }
  var group: GroupName { mutating get throws }
  /// A page of groups, and one of the members of a group.
  var groupPage: GroupPage { mutating get }
  var memberPage: GroupPage { mutating get }
  /// A proof for the session's user; one that nobody made, if there is none.
  var proof: ToolProof { mutating get }
}

// Values that only a history varies.
extension SampleSource {
  package var endReason: EndReason { .expired(.idle) }
  package var eventPage: Page { mutating get { page } }
  package var isDisabled: Bool { true }
  package var role: Role { .administrator }
  package var registration: Registration { .closed }
  package var twoStepPolicy: TwoStepPolicy { .required }
  package var subject: String { "accounts" }
  package var isMember: Bool { true }
  package var group: GroupName { get throws { try GroupName("release") } }
}

/// A sample of an operation: a test fails for an operation without one.
package struct Sample: Sendable {
  package let operation: any AnyOperation
  /// The operation with inputs from a source.
  package let request: @Sendable (inout any SampleSource) throws -> Request

  init<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>,
    _ input: @escaping @Sendable (inout any SampleSource) throws -> Input
  ) {
    self.operation = operation
    request = { operation.request(try input(&$0)) }
  }

  /// The samples of all operations, in the order of their numbers; those of a subject are in the
  /// file of its checks.
  package static let all = (sessions + accounts + recovery + twoStep + payments + administration + groups)
    .sorted { $0.operation.number.rawValue < $1.operation.number.rawValue }
}
