package import AuthAccounts

extension Rules: OperationPerformer {
  /// Performs an operation by its rule, in this process, over the database of these rules.
  ///
  /// - Throws: What the rule throws, or ``AuthAccounts/BackendError`` of kind `unavailable` for an
  ///   operation that no rule decides.
  package func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output {
    guard let rule = Self.rule(of: operation.number) as? OperationRule<Input, Output> else {
      throw .unavailable(.messageInvalid, "no rule decides \(operation.name)")
    }
    return try rule.decide(self, input)
  }

  /// The rule of each operation.
  ///
  /// A test compares it with ``AuthAccounts/Operations/all``. Operations with one number have one
  /// rule.
  package static func rule(of number: OperationNumber) -> any AnyOperationRule {
    switch number {
    case .logIn: OperationRule(Operations.logIn, Rules.logIn)
    case .reauthenticate: OperationRule(Operations.reauthenticate, Rules.reauthenticate)
    case .answer: OperationRule(Operations.answer, Rules.answer)
    case .resume: OperationRule(Operations.resume, Rules.resume)
    case .lookUp: OperationRule(Operations.lookUp, Rules.lookUp)
    case .inspect: OperationRule(Operations.inspect, Rules.inspect)
    case .renew: OperationRule(Operations.renew, Rules.renew)
    case .confirm: OperationRule(Operations.confirm, Rules.confirm)
    case .revoke: OperationRule(Operations.revoke, Rules.revoke)
    case .checkUsername: OperationRule(Operations.checkUsername, Rules.check(newUsername:))
    case .checkPassword: OperationRule(Operations.checkPassword, Rules.check(newPassword:for:))
    case .checkForLogins: OperationRule(Operations.checkForLogins, Rules.checkForLogins)
    case .register: OperationRule(Operations.register, Rules.register)
    case .profile: OperationRule(Operations.profile, Rules.profile)
    case .rename: OperationRule(Operations.rename, Rules.rename)
    case .changePassword: OperationRule(Operations.changePassword, Rules.changePassword)
    case .deleteOwnAccount: OperationRule(Operations.deleteOwnAccount, Rules.deleteAccount(token:))
    case .makeRecoveryCodes: OperationRule(Operations.makeRecoveryCodes, Rules.makeRecoveryCodes)
    case .recover: OperationRule(Operations.recover, Rules.recover)
    case .resetPassword: OperationRule(Operations.resetPassword, Rules.resetPassword)
    case .resetPasswordAsOwner: OperationRule(Operations.resetPasswordAsOwner, Rules.resetPasswordOfOwner)
    case .twoStep: OperationRule(Operations.twoStep, Rules.twoStep)
    case .beginTwoStep: OperationRule(Operations.beginTwoStep, Rules.beginTwoStep)
    case .confirmTwoStep: OperationRule(Operations.confirmTwoStep, Rules.confirmTwoStep)
    case .endTwoStep: OperationRule(Operations.endTwoStep, Rules.endTwoStep(_:token:))
    case .twoStepPolicy: OperationRule(Operations.twoStepPolicy, Rules.twoStepPolicy)
    case .setTwoStepPolicy: OperationRule(Operations.setTwoStepPolicy, Rules.setTwoStepPolicy)
    case .sessions: OperationRule(Operations.sessions, Rules.sessions)
    case .revokeSession: OperationRule(Operations.revokeSession, Rules.revokeSession)
    case .endAllSessions: OperationRule(Operations.endAllSessions, Rules.endAllSessions)
    case .earlierPayment: OperationRule(Operations.earlierPayment, Rules.earlierPayment)
    case .pay: OperationRule(Operations.pay, Rules.pay)
    case .receipts: OperationRule(Operations.receipts, Rules.receipts)
    case .events: OperationRule(Operations.events, Rules.events)
    case .accounts: OperationRule(Operations.accounts, Rules.accounts)
    case .account: OperationRule(Operations.account, Rules.account)
    case .setDisabled: OperationRule(Operations.setDisabled, Rules.setDisabled)
    case .unlock: OperationRule(Operations.unlock, Rules.unlock)
    case .setRole: OperationRule(Operations.setRole, Rules.setRole)
    case .deleteAccount: OperationRule(Operations.deleteAccount, Rules.deleteAccount(_:token:))
    case .registration: OperationRule(Operations.registration, Rules.registration)
    case .setRegistration: OperationRule(Operations.setRegistration, Rules.setRegistration)
    case .registerOther: OperationRule(Operations.registerOther, Rules.registerOther)
    case .noteView: OperationRule(Operations.noteView, Rules.noteView)
    case .setMembership: OperationRule(Operations.setMembership, Rules.setMembership)
    case .ownGroups: OperationRule(Operations.ownGroups, Rules.groups(token:))
    case .groupsOfAccount: OperationRule(Operations.groupsOfAccount, Rules.groups(of:token:))
    case .groups: OperationRule(Operations.groups, Rules.groups(_:token:))
    case .members: OperationRule(Operations.members, Rules.members)
    case .prove: OperationRule(Operations.prove, Rules.prove)
    case .verify: OperationRule(Operations.verify, Rules.verify)
    }
  }
}

/// The rule of an operation: a method of ``Rules`` with the operation's inputs and output.
struct OperationRule<Input: Sendable, Output: Sendable>: AnyOperationRule {
  let number: OperationNumber
  fileprivate let decide: @Sendable (Rules, Input) throws(BackendError) -> Output

  init<each Part, Key>(
    _ operation: BackendOperation<Input, Output, Key>,
    _ rule: @escaping @Sendable (Rules) -> (repeat each Part) throws(BackendError) -> Output
  ) where Input == (repeat each Part) {
    number = operation.number
    decide = { (rules, input) throws(BackendError) in try rule(rules)(repeat each input) }
  }
}

/// The rule of an operation, whatever its inputs and output are.
package protocol AnyOperationRule: Sendable {
  /// The number of the operation that it decides.
  var number: OperationNumber { get }
}
