package import AuthCore

/// A question to the rule book: one case for each operation of ``Backend``.
///
/// It carries tokens and not leases, so that it can cross a socket. ``EntryBackend`` makes it from a
/// lease, ``Rules`` answers it.
package enum BackendRequest: Sendable {
  // Sessions, as ``AuthCore/Authority`` has them.
  case logIn(Credentials, LimitRequest, NewSession)
  case reauthenticate(SessionToken, Password, LimitRequest, newToken: SessionToken)
  case answer(Password, challenge: SessionToken, NewSession)
  case resume(SessionToken)
  case lookUp(SessionToken)
  case renew(SessionToken)
  case confirm(SessionToken)
  case revoke(SessionToken, EndReason)

  // Before a password is typed.
  case checkUsername(String)
  case checkPassword(Password, username: String)
  case checkForLogins

  // Accounts.
  case register(username: String, Password, displayName: String?)
  case profile(SessionToken)
  case rename(String, SessionToken)
  case changePassword(from: Password, to: Password, SessionToken, newToken: SessionToken)
  case deleteOwnAccount(SessionToken)

  // A forgotten password.
  case makeRecoveryCodes(SessionToken)
  case recover(username: String, RecoveryCode, Password)
  case resetPassword(Username, SessionToken)
  case resetPasswordAsOwner(Username)

  // A second step.
  case twoStep(SessionToken)
  case beginTwoStep(SessionToken)
  case confirmTwoStep(Password, SessionToken)
  case endTwoStep(Password, SessionToken)
  case twoStepPolicy(SessionToken)
  case setTwoStepPolicy(TwoStepPolicy, SessionToken)

  // The sessions of a user.
  case sessions(SessionToken)
  case revokeSession(SessionID, SessionToken)
  case endAllSessions(SessionToken)

  // Payments and events.
  case earlierPayment(PaymentOrder, SessionToken)
  case pay(PaymentOrder, SessionToken)
  case receipts(Page, SessionToken)
  case events(EventScope, Page, SessionToken)

  // Administration.
  case accounts(AccountsQuery, SessionToken)
  case account(Username, SessionToken)
  case setDisabled(Bool, Username, SessionToken)
  case unlock(Username, SessionToken)
  case setRole(Role, Username, SessionToken)
  case deleteAccount(Username, SessionToken)
  case registration(SessionToken)
  case setRegistration(Registration, SessionToken)
  case registerOther(username: String, SessionToken)
  case noteView(String, SessionToken)
}

/// A page of a list, newest first.
package struct Page: Hashable, Sendable {
  package let times: TimeSpan
  /// Only rows before this number; nil begins with the newest.
  package let before: Int64?
  /// How many at most.
  package let limit: Int

  package init(within times: TimeSpan, before: Int64?, limit: Int) {
    self.times = times
    self.before = before
    self.limit = limit
  }
}

/// The answer to a ``BackendRequest``.
package enum BackendAnswer: Sendable {
  /// Done, and there is nothing to say.
  case done
  case grant(Grant)
  /// The grant of a token that was looked up; nil when it is no current token.
  case found(Grant?)
  case user(User)
  case profile(Profile)
  case recoveryCodes([RecoveryCode])
  case oneTimeCode(OneTimeCode)
  case twoStep(TwoStepState)
  case twoStepSecret(TwoStepSecret)
  case twoStepPolicy(TwoStepPolicy)
  case sessions([SessionSummary])
  case count(Int)
  case receipt(Receipt)
  /// The receipt of an earlier payment, if there was one.
  case earlier(Receipt?)
  case receipts([Receipt])
  case events([Event])
  case account(AccountSummary)
  case accounts([AccountSummary])
  case registration(Registration)
}
