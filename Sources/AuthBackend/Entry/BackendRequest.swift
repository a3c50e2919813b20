package import AuthCore

/// A question to the rule book: one case for each operation of ``Backend``.
///
/// It carries tokens and not leases, so that it can cross a socket. ``EntryBackend`` makes it from
/// a lease, ``Rules`` answers it.
package enum BackendRequest: Sendable {
  // Sessions, as ``AuthCore/Authority`` has them.
  case logIn(Credentials, LimitRequest, NewSession)
  case reauthenticate(SessionToken, Secret, LimitRequest, newToken: SessionToken)
  case answer(Secret, challenge: SessionToken, NewSession)
  case resume(SessionToken)
  case lookUp(SessionToken)
  case renew(SessionToken)
  case confirm(SessionToken)
  case revoke(SessionToken, EndReason)

  // Before a password is typed.
  case checkUsername(String)
  case checkPassword(Secret, username: String)
  case checkForLogins

  // Accounts.
  case register(username: String, Secret, displayName: String?)
  case profile(SessionToken)
  case rename(String, SessionToken)
  case changePassword(from: Secret, to: Secret, SessionToken, newToken: SessionToken)
  case deleteOwnAccount(SessionToken)

  // A forgotten password.
  case makeRecoveryCodes(SessionToken)
  case recover(username: String, RecoveryCode, Secret)
  case resetPassword(Username, SessionToken)
  case resetPasswordAsOwner(Username)

  // A second step.
  case twoStep(SessionToken)
  case beginTwoStep(SessionToken)
  case confirmTwoStep(Secret, SessionToken)
  case endTwoStep(Secret, SessionToken)
  case twoStepPolicy(SessionToken)
  case setTwoStepPolicy(TwoStepPolicy, SessionToken)

  // The sessions of a user.
  case sessions(SessionsPage, SessionToken)
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
  /// Only rows that contain this text.
  package let text: String
  /// Only rows before this number; nil begins with the newest.
  package var before: Int64?
  /// How many at most.
  package var limit: Int

  package init(within times: TimeSpan, matching text: String = "", before: Int64?, limit: Int) {
    (self.times, self.text, self.before, self.limit) = (times, text, before, limit)
  }
}

/// A page of a user's sessions, newest first.
package struct SessionsPage: Hashable, Sendable {
  /// A session's place in the list, which it keeps for others when it has ended.
  package struct Place: Hashable, Sendable {
    package let createdAt: WallTime
    package let id: SessionID

    package init(createdAt: WallTime, id: SessionID) {
      (self.createdAt, self.id) = (createdAt, id)
    }
  }

  /// Only sessions after this place; nil begins with the newest.
  package var after: Place?
  /// How many at most.
  package var limit: Int

  package init(after: Place? = nil, limit: Int = .max) {
    (self.after, self.limit) = (after, limit)
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
