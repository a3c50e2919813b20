/// The kinds of requests, by the numbers that they have on the wire.
///
/// Tests that need one of each kind are over these.
package enum RequestTag: UInt8, CaseIterable, Sendable {
  case logIn = 1, reauthenticate, answer, resume, lookUp, renew, confirm, revoke
  case checkUsername, checkPassword, checkForLogins
  case register, profile, rename, changePassword, deleteOwnAccount
  case makeRecoveryCodes, recover, resetPassword, resetPasswordAsOwner
  case twoStep, beginTwoStep, confirmTwoStep, endTwoStep, twoStepPolicy, setTwoStepPolicy
  case sessions, revokeSession, endAllSessions
  case earlierPayment, pay, receipts, events
  case accounts, account, setDisabled, unlock, setRole, deleteAccount
  case registration, setRegistration, registerOther, noteView
}
