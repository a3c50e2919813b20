public import AuthCore

/// A question to the rule book: one case for each operation of ``Backend``.
///
/// It carries tokens and not leases, so that it can cross a socket. A ``Backend`` answers it; in
/// this package, the rule book does.
public enum BackendRequest: Sendable {
  // Sessions, as ``AuthCore/Authority`` has them.
  /// Begins a session, as ``AuthCore/Authority/authenticate(_:limits:)`` does.
  case logIn(Credentials, LimitRequest, NewSession)
  /// Exchanges the token of a session, after its password was entered again.
  case reauthenticate(SessionToken, Secret, LimitRequest, newToken: SessionToken)
  /// Answers the challenge of a second step.
  case answer(Secret, challenge: SessionToken, NewSession)
  /// The grant of a token; its session goes on.
  case resume(SessionToken)
  /// See ``Backend/lookUp(_:)``.
  case lookUp(SessionToken)
  /// Records activity.
  case renew(SessionToken)
  /// Confirms that a new token was saved.
  case confirm(SessionToken)
  /// Ends the session of a token, or withdraws a challenge.
  case revoke(SessionToken, EndReason)

  // Before a password is typed.
  /// See ``Backend/check(newUsername:)``.
  case checkUsername(String)
  /// See ``Backend/check(newPassword:for:)``.
  case checkPassword(Secret, username: String)
  /// See ``Backend/checkForLogins()``.
  case checkForLogins

  // Accounts.
  /// See ``Backend/register(username:password:displayName:)``.
  case register(username: String, Secret, displayName: String?)
  /// See ``Backend/profile(under:)``.
  case profile(SessionToken)
  /// See ``Backend/rename(to:under:)``.
  case rename(String, SessionToken)
  /// See ``Backend/changePassword(from:to:for:under:)``.
  case changePassword(from: Secret, to: Secret, SessionToken, newToken: SessionToken)
  /// See ``Backend/deleteAccount(for:under:)``.
  case deleteOwnAccount(SessionToken)

  // A forgotten password.
  /// See ``Backend/makeRecoveryCodes(for:under:)``.
  case makeRecoveryCodes(SessionToken)
  /// See ``Backend/recover(username:code:password:)``.
  case recover(username: String, RecoveryCode, Secret)
  /// See ``Backend/resetPassword(of:for:_:under:)``.
  case resetPassword(Username, SessionToken)
  /// See ``Backend/resetPasswordAsOwner(of:)``.
  case resetPasswordAsOwner(Username)

  // A second step.
  /// See ``Backend/twoStep(under:)``.
  case twoStep(SessionToken)
  /// See ``Backend/beginTwoStep(for:under:)``.
  case beginTwoStep(SessionToken)
  /// See ``Backend/confirmTwoStep(_:for:under:)``.
  case confirmTwoStep(Secret, SessionToken)
  /// See ``Backend/endTwoStep(_:for:under:)``.
  case endTwoStep(Secret, SessionToken)
  /// See ``Backend/twoStepPolicy(for:under:)``.
  case twoStepPolicy(SessionToken)
  /// See ``Backend/setTwoStepPolicy(_:for:_:under:)``.
  case setTwoStepPolicy(TwoStepPolicy, SessionToken)

  // The sessions of a user.
  /// See ``Backend/sessions(under:)``; a service reads them in pages.
  case sessions(SessionsPage, SessionToken)
  /// See ``Backend/revokeSession(_:for:under:)``.
  case revokeSession(SessionID, SessionToken)
  /// See ``Backend/endAllSessions(under:)``.
  case endAllSessions(SessionToken)

  // Payments and events.
  /// See ``Backend/earlierPayment(of:under:)``.
  case earlierPayment(PaymentOrder, SessionToken)
  /// See ``Backend/pay(_:under:)``.
  case pay(PaymentOrder, SessionToken)
  /// See ``Backend/receipts(_:under:)``.
  case receipts(Page, SessionToken)
  /// See ``Backend/events(_:under:)`` and ``Backend/allEvents(_:for:under:)``.
  case events(EventScope, Page, SessionToken)

  // Administration.
  /// See ``Backend/accounts(_:for:under:)``.
  case accounts(AccountsQuery, SessionToken)
  /// See ``Backend/account(named:for:under:)``.
  case account(Username, SessionToken)
  /// See ``Backend/setDisabled(_:account:for:_:under:)``.
  case setDisabled(Bool, Username, SessionToken)
  /// See ``Backend/unlock(account:for:_:under:)``.
  case unlock(Username, SessionToken)
  /// See ``Backend/setRole(_:account:for:_:under:)``.
  case setRole(Role, Username, SessionToken)
  /// See ``Backend/deleteAccount(_:for:_:under:)``.
  case deleteAccount(Username, SessionToken)
  /// See ``Backend/registration(for:under:)``.
  case registration(SessionToken)
  /// See ``Backend/setRegistration(_:for:_:under:)``.
  case setRegistration(Registration, SessionToken)
  /// See ``Backend/registerOther(username:for:_:under:)``.
  case registerOther(username: String, SessionToken)
  /// See ``Backend/noteView(of:for:under:)``.
  case noteView(String, SessionToken)
}

/// A page of a list, newest first.
public struct Page: Hashable, Sendable {
  /// Only rows of this time; see ``TimeSpan``.
  public let times: TimeSpan
  /// Only rows that contain this text, ignoring case; all if it is empty.
  public let text: String
  /// Only rows before this number; nil begins with the newest.
  public var before: Int64?
  /// How many at most.
  public var limit: Int

  /// Creates a page.
  public init(within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil, limit: Int = 50) {
    (self.times, self.text, self.before, self.limit) = (times, text, before, limit)
  }

  // What the statements of pages take.
  var end: Int64 { before ?? .max }
  var since: Int64 { times.since?.microseconds ?? .min }
  var until: Int64 { times.until?.microseconds ?? .max }
  var pattern: SQLValue { .pattern(containing: text) }
  var rows: Int { max(0, limit) }
}

/// A page of a user's sessions, newest first.
public struct SessionsPage: Hashable, Sendable {
  /// A session's place in the list, which it keeps for others when it has ended.
  public struct Place: Hashable, Sendable {
    /// When the session began.
    public let createdAt: WallTime
    /// Its public name.
    public let id: SessionID

    /// Creates a place.
    public init(createdAt: WallTime, id: SessionID) {
      (self.createdAt, self.id) = (createdAt, id)
    }
  }

  /// Only sessions after this place; nil begins with the newest.
  public var after: Place?
  /// How many at most.
  public var limit: Int

  /// Creates a page.
  public init(after: Place? = nil, limit: Int = .max) {
    (self.after, self.limit) = (after, limit)
  }
}

/// The answer to a ``BackendRequest``.
public enum BackendAnswer: Sendable {
  /// Done, and there is nothing to say.
  case done
  /// The grant of a session.
  case grant(Grant)
  /// The grant of a token that was looked up; nil when it is no current token.
  case found(Grant?)
  /// A user.
  case user(User)
  /// An account with its balance.
  case profile(Profile)
  /// New recovery codes.
  case recoveryCodes([RecoveryCode])
  /// A one-time code.
  case oneTimeCode(OneTimeCode)
  /// Whether there is a second step.
  case twoStep(TwoStepState)
  /// A secret for codes.
  case twoStepSecret(TwoStepSecret)
  /// Who must have a second step.
  case twoStepPolicy(TwoStepPolicy)
  /// The sessions of a user.
  case sessions([SessionSummary])
  /// How many.
  case count(Int)
  /// The receipt of a payment.
  case receipt(Receipt)
  /// The receipt of an earlier payment, if there was one.
  case earlier(Receipt?)
  /// A page of receipts.
  case receipts(Found<Receipt>)
  /// A page of events.
  case events(Found<Event>)
  /// An account.
  case account(AccountSummary)
  /// A page of accounts.
  case accounts([AccountSummary])
  /// Who may create accounts.
  case registration(Registration)
}

/// What an answer holds, if it is of that case.
extension BackendAnswer {
  package var done: Void? { if case .done = self { () } else { nil } }
  package var grant: Grant? { if case .grant(let value) = self { value } else { nil } }
  package var found: Grant?? { if case .found(let value) = self { .some(value) } else { nil } }
  package var user: User? { if case .user(let value) = self { value } else { nil } }
  package var profile: Profile? { if case .profile(let value) = self { value } else { nil } }
  package var recoveryCodes: [RecoveryCode]? { if case .recoveryCodes(let value) = self { value } else { nil } }
  package var oneTimeCode: OneTimeCode? { if case .oneTimeCode(let value) = self { value } else { nil } }
  package var twoStep: TwoStepState? { if case .twoStep(let value) = self { value } else { nil } }
  package var twoStepSecret: TwoStepSecret? { if case .twoStepSecret(let value) = self { value } else { nil } }
  package var twoStepPolicy: TwoStepPolicy? { if case .twoStepPolicy(let value) = self { value } else { nil } }
  package var sessions: [SessionSummary]? { if case .sessions(let value) = self { value } else { nil } }
  package var count: Int? { if case .count(let value) = self { value } else { nil } }
  package var receipt: Receipt? { if case .receipt(let value) = self { value } else { nil } }
  package var earlier: Receipt?? { if case .earlier(let value) = self { .some(value) } else { nil } }
  package var receipts: Found<Receipt>? { if case .receipts(let value) = self { value } else { nil } }
  package var events: Found<Event>? { if case .events(let value) = self { value } else { nil } }
  package var account: AccountSummary? { if case .account(let value) = self { value } else { nil } }
  package var accounts: [AccountSummary]? { if case .accounts(let value) = self { value } else { nil } }
  package var registration: Registration? { if case .registration(let value) = self { value } else { nil } }
}
