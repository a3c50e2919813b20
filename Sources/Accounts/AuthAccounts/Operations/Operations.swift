package import AuthCore

/// The operations of a backend.
///
/// A backend of your own compares the name of an operation with these, casts the input to the type
/// that the declaration has, and returns a value of the operation's output.
package enum Operations {
  // Sessions, as `Authority` has them.
  /// Starts a session; see ``AuthCore/Authority/authenticate(_:limits:)``.
  package static let logIn = BackendOperation<(Credentials, LimitRequest, NewSession), Grant>(
    .logIn, .grant, .hashes, lost: .repeatable)
  /// Exchanges the token of a session after the user entered the password again.
  package static let reauthenticate = BackendOperation<(SessionToken, Secret, LimitRequest, SessionToken), Grant>(
    .reauthenticate, .grant, .hashes, lost: .repeatable)
  /// Answers the challenge of a second step.
  package static let answer = BackendOperation<(Secret, SessionToken, NewSession), Grant>(
    .answer, .grant, .writes, lost: .repeatable)
  /// Finds the grant of a token of an active session, or says why the session has ended.
  package static let resume = BackendOperation<SessionToken, Grant>(.resume, .grant, .writes, lost: .readAgain)
  /// See ``Backend/lookUp(_:)``.
  package static let lookUp = BackendOperation<SessionToken, Grant?>(.lookUp, .found, .reads)
  /// See ``Backend/inspect(_:)``.
  package static let inspect = BackendOperation<SessionToken, Grant>(.inspect, .grant, .reads)
  /// Records activity of a session, which restarts its idle limit.
  package static let renew = BackendOperation<SessionToken, Grant>(.renew, .grant, .writes, lost: .repeatable)
  /// Confirms that the client saved a new token, so that the old one is no longer accepted.
  package static let confirm = BackendOperation<SessionToken, Void>(.confirm, .writes, lost: .repeatable)
  /// Ends the session of a token, or withdraws a challenge.
  package static let revoke = BackendOperation<(SessionToken, EndReason), Void>(.revoke, .writes, lost: .repeatable)

  // Before a password is typed.
  /// See ``Backend/check(newUsername:)``.
  package static let checkUsername = BackendOperation<String, Void>(.checkUsername, .reads)
  /// See ``Backend/check(newPassword:for:)``.
  package static let checkPassword = BackendOperation<(Secret, String), Void>(.checkPassword, .reads)
  /// See ``Backend/checkForLogins()``.
  package static let checkForLogins = BackendOperation<(), Void>(.checkForLogins, .reads)

  // Accounts.
  /// See ``Backend/register(username:password:displayName:)``.
  package static let register = BackendOperation<(String, Secret, String?), User>(.register, .user, .hashes)
  /// See ``Backend/profile(under:)``.
  package static let profile = BackendOperation<SessionToken, Profile>(
    .profile, .profile, .reads, needs: SessionNeeds())
  /// See ``Backend/rename(to:under:)``.
  package static let rename = BackendOperation<(String, SessionToken), Profile>(
    .rename, .profile, .writes, needs: SessionNeeds())
  /// See ``Backend/changePassword(from:to:for:under:)``.
  package static let changePassword = BackendOperation<(Secret, Secret, SessionToken, SessionToken), Grant>(
    .changePassword, .grant, .hashes, lost: .repeatable, needs: .recentPassword)
  /// See ``Backend/deleteAccount(for:under:)``.
  package static let deleteOwnAccount = BackendOperation<SessionToken, Void>(
    .deleteOwnAccount, .writes, needs: .recentPassword)

  // A forgotten password.
  /// See ``Backend/makeRecoveryCodes(for:under:)``.
  package static let makeRecoveryCodes = BackendOperation<SessionToken, [RecoveryCode]>(
    .makeRecoveryCodes, .recoveryCodes, .writes, needs: .recentPassword
  ).responding(with: .recoveryCodes)
  /// See ``Backend/recover(username:code:password:)``.
  package static let recover = BackendOperation<(String, RecoveryCode, Secret), User>(.recover, .user, .hashes)
  /// See ``Backend/resetPassword(of:for:_:under:)``.
  package static let resetPassword = BackendOperation<(Username, SessionToken), OneTimeCode>(
    .resetPassword, .oneTimeCode, .writes, needs: .role("accounts", isFresh: true))
  /// See ``Backend/resetPasswordAsOwner(of:)``.
  package static let resetPasswordAsOwner = BackendOperation<Username, OneTimeCode>(
    .resetPasswordAsOwner, .oneTimeCode, .writes)

  // A second step.
  /// See ``Backend/twoStep(under:)``.
  package static let twoStep = BackendOperation<SessionToken, TwoStepState>(
    .twoStep, .twoStep, .reads, needs: .beforeTwoStep)
  /// See ``Backend/beginTwoStep(for:under:)``.
  package static let beginTwoStep = BackendOperation<SessionToken, TwoStepSecret>(
    .beginTwoStep, .twoStepSecret, .writes, needs: SessionNeeds(isFresh: true, beforeTwoStep: true))
  /// See ``Backend/confirmTwoStep(_:for:under:)``.
  package static let confirmTwoStep = BackendOperation<(Secret, SessionToken), Void>(
    .confirmTwoStep, .writes, needs: SessionNeeds(isFresh: true, beforeTwoStep: true))
  /// See ``Backend/endTwoStep(_:for:under:)``.
  package static let endTwoStep = BackendOperation<(Secret, SessionToken), Void>(
    .endTwoStep, .writes, needs: .recentPassword)
  /// See ``Backend/twoStepPolicy(for:under:)``.
  package static let twoStepPolicy = BackendOperation<SessionToken, TwoStepPolicy>(
    .twoStepPolicy, .twoStepPolicy, .reads, needs: .role("two-step"))
  /// See ``Backend/setTwoStepPolicy(_:for:_:under:)``.
  package static let setTwoStepPolicy = BackendOperation<(TwoStepPolicy, SessionToken), Void>(
    .setTwoStepPolicy, .writes, needs: .role("two-step", isFresh: true))

  // The sessions of a user.
  /// See ``Backend/sessions(under:)``; a service reads them in pages.
  package static let sessions = BackendOperation<(SessionsPage, SessionToken), [SessionSummary]>(
    .sessions, .sessions, .reads, needs: SessionNeeds()
  ).listing(\.0, \.limit) { $0.after = $1.last.map { .init(createdAt: $0.createdAt, id: $0.id) } }
  /// See ``Backend/revokeSession(_:for:under:)``.
  package static let revokeSession = BackendOperation<(SessionID, SessionToken), Void>(
    .revokeSession, .writes, needs: .recentPassword)
  /// See ``Backend/endAllSessions(under:)``.
  package static let endAllSessions = BackendOperation<SessionToken, Int>(
    .endAllSessions, .count, .writes, needs: .beforeTwoStep)

  // Payments and events.
  /// See ``Backend/earlierPayment(of:under:)``.
  package static let earlierPayment = BackendOperation<(PaymentOrder, SessionToken), Receipt?>(
    .earlierPayment, .earlier, .reads, needs: SessionNeeds())
  /// See ``PaymentIntent/submit(under:)``.
  ///
  /// Under a key a payment whose answer was lost is repeated, and made once.
  package static let pay = BackendOperation<(PaymentOrder, SessionToken), Receipt>(
    .pay, .receipt, .writes, lost: .repeatable, needs: .recentPassword
  ).retrying(with: { order, _ in order.key.map { "--idempotency-key \($0)" } }) { (input, ask) throws(BackendError) in
    try ask((try input.0.withKey(), input.1)).withoutDrawnKey
  }
  /// See ``Backend/receipts(_:under:)``.
  package static let receipts = BackendOperation<(Page, SessionToken), Found<Receipt>>(
    .receipts, .receipts, .reads, needs: SessionNeeds()
  ).searching(\.0, shown: { Found($0.map(\.withoutDrawnKey), stop: $0.stop) }) { $0.id }
  /// See ``Backend/events(_:under:)``.
  package static let events = eventList(needs: SessionNeeds())
  /// See ``Backend/allEvents(_:for:under:)``: ``events`` with the scope `everyone`.
  package static let allEvents = eventList("allEvents", needs: .role("events"))

  private static func eventList(
    _ name: String? = nil, needs: SessionNeeds
  ) -> BackendOperation<(EventScope, Page, SessionToken), Found<Event>> {
    BackendOperation(.events, .events, .reads, needs: needs, name: name)
      .searching(\.1) { $0.id }
  }

  // Administration.
  /// See ``Backend/accounts(_:for:under:)``.
  package static let accounts = BackendOperation<(AccountsQuery, SessionToken), [AccountSummary]>(
    .accounts, .accounts, .reads, needs: .role("accounts")
  ).listing(\.0, \.limit) { $0.after = $1.last?.user.username }
  /// See ``Backend/account(named:for:under:)``.
  package static let account = BackendOperation<(Username, SessionToken), AccountSummary>(
    .account, .account, .reads, needs: .role("accounts"))
  /// See ``Backend/setDisabled(_:account:for:_:under:)``.
  package static let setDisabled = BackendOperation<(Bool, Username, SessionToken), AccountSummary>(
    .setDisabled, .account, .writes, needs: .role("accounts", isFresh: true))
  /// See ``Backend/unlock(account:for:_:under:)``.
  package static let unlock = BackendOperation<(Username, SessionToken), AccountSummary>(
    .unlock, .account, .writes, needs: .role("accounts", isFresh: true))
  /// See ``Backend/setRole(_:account:for:_:under:)``.
  package static let setRole = BackendOperation<(Role, Username, SessionToken), AccountSummary>(
    .setRole, .account, .writes, needs: .role("accounts", isFresh: true))
  /// See ``Backend/deleteAccount(_:for:_:under:)``.
  package static let deleteAccount = BackendOperation<(Username, SessionToken), Void>(
    .deleteAccount, .writes, needs: .role("accounts", isFresh: true))
  /// See ``Backend/registration(for:under:)``.
  package static let registration = BackendOperation<SessionToken, Registration>(
    .registration, .registration, .reads, needs: .role("registration"))
  /// See ``Backend/setRegistration(_:for:_:under:)``.
  package static let setRegistration = BackendOperation<(Registration, SessionToken), Void>(
    .setRegistration, .writes, needs: .role("registration", isFresh: true))
  /// See ``Backend/registerOther(username:for:_:under:)``.
  package static let registerOther = BackendOperation<(String, SessionToken), OneTimeCode>(
    .registerOther, .oneTimeCode, .writes, needs: .role("registration", isFresh: true))
  /// See ``Backend/noteView(of:for:under:)``.
  package static let noteView = BackendOperation<(String, SessionToken), Void>(
    .noteView, .writes, needs: .role("accounts"))

  // Groups, and proofs for tools.
  /// See ``Backend/setMembership(_:of:in:for:_:under:)``.
  package static let setMembership = BackendOperation<(Bool, [Username], GroupName, SessionToken), Void>(
    .setMembership, .writes, lost: .repeatable, needs: .role("groups", isFresh: true))
  /// See ``Backend/groups(under:)``.
  package static let ownGroups = BackendOperation<SessionToken, [GroupName]>(
    .ownGroups, .groups, .reads, needs: SessionNeeds())
  /// See ``Backend/groups(of:for:under:)``.
  package static let groupsOfAccount = BackendOperation<(Username, SessionToken), [GroupName]>(
    .groupsOfAccount, .groups, .reads, needs: .role("groups"))
  /// See ``Backend/groups(_:for:under:)``.
  package static let groups = BackendOperation<(GroupPage, SessionToken), [GroupName]>(
    .groups, .groups, .reads, needs: .role("groups")
  ).listing(\.0, \.limit) { $0.after = $1.last?.canonical }
  /// See ``Backend/members(of:_:for:under:)``.
  package static let members = BackendOperation<(GroupName, GroupPage, SessionToken), [AccountSummary]>(
    .members, .accounts, .reads, needs: .role("groups")
  ).listing(\.1, \.limit) { $0.after = $1.last?.user.username }
  /// See ``Backend/prove(to:under:)``.
  package static let prove = BackendOperation<(Username, SessionToken), ToolProof>(
    .prove, .proof, .writes, lost: .readAgain, needs: SessionNeeds()
  ).responding(with: .newProof)
  /// See ``Backend/verify(_:under:)``.
  package static let verify = BackendOperation<(ToolProof, SessionToken), ProvenUser>(
    .verify, .provenUser, .writes, needs: SessionNeeds())

  /// The operations that a service performs for its clients, by their numbers.
  package static let all: [OperationNumber: any AnyOperation] = Dictionary(
    uniqueKeysWithValues: ([
      logIn, reauthenticate, answer, resume, lookUp, inspect, renew, confirm, revoke, checkUsername, checkPassword,
      checkForLogins, register, profile, rename, changePassword, deleteOwnAccount, makeRecoveryCodes, recover,
      resetPassword, resetPasswordAsOwner, twoStep, beginTwoStep, confirmTwoStep, endTwoStep, twoStepPolicy,
      setTwoStepPolicy, sessions, revokeSession, endAllSessions, earlierPayment, pay, receipts, events, accounts,
      account, setDisabled, unlock, setRole, deleteAccount, registration, setRegistration, registerOther, noteView,
      setMembership, ownGroups, groupsOfAccount, groups, members, prove, verify,
    ] as [any AnyOperation]).map { ($0.number, $0) })
}

extension WireParts<[RecoveryCode]> {
  /// New codes, which are printed as they are.
  fileprivate static let recoveryCodes = WireParts(
    called: RecoveryCode.name, { (codes: [RecoveryCode]) in codes.allSatisfy(\.isWellFormed) ? codes : nil },
    { @Sendable (codes: [RecoveryCode]) in codes })
}

extension WireParts<ToolProof> {
  /// A new proof, which is printed as it is.
  fileprivate static let newProof = WireParts(
    called: "proof", { (proof: ToolProof) in proof.isWellFormed ? proof : nil },
    { @Sendable (proof: ToolProof) in proof })
}
