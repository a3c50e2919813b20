/// The number of an operation in the protocol of the service.
///
/// A new operation gets the next number: a number is never used again.
package enum OperationNumber: UInt8, Sendable, CaseIterable {
  case logIn = 1, reauthenticate, answer, resume, lookUp, renew, confirm, revoke, checkUsername,
    checkPassword, checkForLogins, register, profile, rename, changePassword, deleteOwnAccount,
    makeRecoveryCodes, recover, resetPassword, resetPasswordAsOwner, twoStep, beginTwoStep,
    confirmTwoStep, endTwoStep, twoStepPolicy, setTwoStepPolicy, sessions, revokeSession,
    endAllSessions, earlierPayment, pay, receipts, events, accounts, account, setDisabled, unlock,
    setRole, deleteAccount, registration, setRegistration, registerOther, noteView, setMembership,
    ownGroups, groupsOfAccount, groups, members, prove, verify, inspect
}

/// The kinds of responses by their numbers in the protocol; several operations may share a kind.
package enum ResponseKind: UInt8, Sendable, CaseIterable {
  case done = 1, grant, found, user, profile, recoveryCodes, oneTimeCode, twoStep, twoStepSecret, twoStepPolicy
  case sessions, count, receipt, earlier, receipts, events, account, accounts, registration,
    groups, proof, provenUser
}
