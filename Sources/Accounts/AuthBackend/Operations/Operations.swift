package import AuthCore

/// The operations of a backend.
///
/// A backend of your own compares the name of an operation with these, casts the input to the type
/// that the declaration has, and returns a value of the operation's output.
///
/// A new operation gets the next number: a number is never used again.
package enum Operations {
  // Sessions, as `Authority` has them.
  /// Starts a session; see ``AuthCore/Authority/authenticate(_:limits:)``.
  package static let logIn = BackendOperation("logIn", 1, .grant, .hashes, lost: .repeatable, Rules.logIn)
  /// Exchanges the token of a session after the user entered the password again.
  package static let reauthenticate = BackendOperation(
    "reauthenticate", 2, .grant, .hashes, lost: .repeatable, Rules.reauthenticate)
  /// Answers the challenge of a second step.
  package static let answer = BackendOperation("answer", 3, .grant, .writes, lost: .repeatable, Rules.answer)
  /// Finds the grant of a token of an active session, or says why the session has ended.
  package static let resume = BackendOperation("resume", 4, .grant, .writes, lost: .readAgain, Rules.resume)
  /// See ``Backend/lookUp(_:)``.
  package static let lookUp = BackendOperation("lookUp", 5, .found, .reads, Rules.lookUp)
  /// See ``Backend/inspect(_:)``.
  package static let inspect = BackendOperation("inspect", 51, .grant, .reads, Rules.inspect)
  /// Records activity of a session, which restarts its idle limit.
  package static let renew = BackendOperation("renew", 6, .grant, .writes, lost: .repeatable, Rules.renew)
  /// Confirms that the client saved a new token, so that the old one is no longer accepted.
  package static let confirm = BackendOperation("confirm", 7, .writes, lost: .repeatable, Rules.confirm)
  /// Ends the session of a token, or withdraws a challenge.
  package static let revoke = BackendOperation("revoke", 8, .writes, lost: .repeatable, Rules.revoke)

  // Before a password is typed.
  /// See ``Backend/check(newUsername:)``.
  package static let checkUsername = BackendOperation("checkUsername", 9, .reads, Rules.check(newUsername:))
  /// See ``Backend/check(newPassword:for:)``.
  package static let checkPassword = BackendOperation("checkPassword", 10, .reads, Rules.check(newPassword:for:))
  /// See ``Backend/checkForLogins()``.
  package static let checkForLogins = BackendOperation("checkForLogins", 11, .reads, Rules.checkForLogins)

  // Accounts.
  /// See ``Backend/register(username:password:displayName:)``.
  package static let register = BackendOperation("register", 12, .user, .hashes, Rules.register)
  /// See ``Backend/profile(under:)``.
  package static let profile = BackendOperation("profile", 13, .profile, .reads, needs: SessionNeeds(), Rules.profile)
  /// See ``Backend/rename(to:under:)``.
  package static let rename = BackendOperation("rename", 14, .profile, .writes, needs: SessionNeeds(), Rules.rename)
  /// See ``Backend/changePassword(from:to:for:under:)``.
  package static let changePassword = BackendOperation(
    "changePassword", 15, .grant, .hashes, lost: .repeatable, needs: .recentPassword, Rules.changePassword)
  /// See ``Backend/deleteAccount(for:under:)``.
  package static let deleteOwnAccount = BackendOperation(
    "deleteOwnAccount", 16, .writes, needs: .recentPassword, Rules.deleteAccount(token:))

  // A forgotten password.
  /// See ``Backend/makeRecoveryCodes(for:under:)``.
  package static let makeRecoveryCodes = BackendOperation(
    "makeRecoveryCodes", 17, .recoveryCodes, .writes, needs: .recentPassword, Rules.makeRecoveryCodes
  ).answering(.recoveryCodes)
  /// See ``Backend/recover(username:code:password:)``.
  package static let recover = BackendOperation("recover", 18, .user, .hashes, Rules.recover)
  /// See ``Backend/resetPassword(of:for:_:under:)``.
  package static let resetPassword = BackendOperation(
    "resetPassword", 19, .oneTimeCode, .writes, needs: .role("accounts", isFresh: true), Rules.resetPassword)
  /// See ``Backend/resetPasswordAsOwner(of:)``.
  package static let resetPasswordAsOwner = BackendOperation(
    "resetPasswordAsOwner", 20, .oneTimeCode, .writes, Rules.resetPasswordOfOwner)

  // A second step.
  /// See ``Backend/twoStep(under:)``.
  package static let twoStep = BackendOperation("twoStep", 21, .twoStep, .reads, needs: .beforeTwoStep, Rules.twoStep)
  /// See ``Backend/beginTwoStep(for:under:)``.
  package static let beginTwoStep = BackendOperation(
    "beginTwoStep", 22, .twoStepSecret, .writes, needs: SessionNeeds(isFresh: true, beforeTwoStep: true),
    Rules.beginTwoStep)
  /// See ``Backend/confirmTwoStep(_:for:under:)``.
  package static let confirmTwoStep = BackendOperation(
    "confirmTwoStep", 23, .writes, needs: SessionNeeds(isFresh: true, beforeTwoStep: true), Rules.confirmTwoStep)
  /// See ``Backend/endTwoStep(_:for:under:)``.
  package static let endTwoStep = BackendOperation(
    "endTwoStep", 24, .writes, needs: .recentPassword, Rules.endTwoStep(_:token:))
  /// See ``Backend/twoStepPolicy(for:under:)``.
  package static let twoStepPolicy = BackendOperation(
    "twoStepPolicy", 25, .twoStepPolicy, .reads, needs: .role("two-step"), Rules.twoStepPolicy)
  /// See ``Backend/setTwoStepPolicy(_:for:_:under:)``.
  package static let setTwoStepPolicy = BackendOperation(
    "setTwoStepPolicy", 26, .writes, needs: .role("two-step", isFresh: true), Rules.setTwoStepPolicy)

  // The sessions of a user.
  /// See ``Backend/sessions(under:)``; a service reads them in pages.
  package static let sessions = BackendOperation(
    "sessions", 27, .sessions, .reads, needs: SessionNeeds(), Rules.sessions
  ).listing(\.0, \.limit) { $0.after = $1.last.map { .init(createdAt: $0.createdAt, id: $0.id) } }
  /// See ``Backend/revokeSession(_:for:under:)``.
  package static let revokeSession = BackendOperation(
    "revokeSession", 28, .writes, needs: .recentPassword, Rules.revokeSession)
  /// See ``Backend/endAllSessions(under:)``.
  package static let endAllSessions = BackendOperation(
    "endAllSessions", 29, .count, .writes, needs: .beforeTwoStep, Rules.endAllSessions)

  // Payments and events.
  /// See ``Backend/earlierPayment(of:under:)``.
  package static let earlierPayment = BackendOperation(
    "earlierPayment", 30, .earlier, .reads, needs: SessionNeeds(), Rules.earlierPayment)
  /// See ``Backend/pay(_:under:)``.
  ///
  /// Under a key a payment whose answer was lost is repeated, and made once.
  package static let pay = BackendOperation(
    "pay", 31, .receipt, .writes, lost: .repeatable, needs: .recentPassword, Rules.pay
  ).retrying(with: { order, _ in order.key.map { "--idempotency-key \($0)" } }) { (input, ask) throws(BackendError) in
    try ask((try input.0.withKey(), input.1)).withoutDrawnKey
  }
  /// See ``Backend/receipts(_:under:)``.
  package static let receipts = BackendOperation(
    "receipts", 32, .receipts, .reads, needs: SessionNeeds(), Rules.receipts
  ).searching(\.0, shown: { Found($0.map(\.withoutDrawnKey), stop: $0.stop) }) { $0.id }
  /// See ``Backend/events(_:under:)``.
  package static let events = eventList("events", needs: SessionNeeds())
  /// See ``Backend/allEvents(_:for:under:)``: ``events`` with the scope `everyone`.
  package static let allEvents = eventList("allEvents", needs: .role("events"))

  private static func eventList(
    _ name: String, needs: SessionNeeds
  ) -> BackendOperation<(EventScope, Page, SessionToken), Found<Event>> {
    BackendOperation(name, 33, .events, .reads, needs: needs, Rules.events)
      .searching(\.1) { $0.id }
  }

  // Administration.
  /// See ``Backend/accounts(_:for:under:)``.
  package static let accounts = BackendOperation(
    "accounts", 34, .accounts, .reads, needs: .role("accounts"), Rules.accounts
  ).listing(\.0, \.limit) { $0.after = $1.last?.user.username }
  /// See ``Backend/account(named:for:under:)``.
  package static let account = BackendOperation(
    "account", 35, .account, .reads, needs: .role("accounts"), Rules.account)
  /// See ``Backend/setDisabled(_:account:for:_:under:)``.
  package static let setDisabled = BackendOperation(
    "setDisabled", 36, .account, .writes, needs: .role("accounts", isFresh: true), Rules.setDisabled)
  /// See ``Backend/unlock(account:for:_:under:)``.
  package static let unlock = BackendOperation(
    "unlock", 37, .account, .writes, needs: .role("accounts", isFresh: true), Rules.unlock)
  /// See ``Backend/setRole(_:account:for:_:under:)``.
  package static let setRole = BackendOperation(
    "setRole", 38, .account, .writes, needs: .role("accounts", isFresh: true), Rules.setRole)
  /// See ``Backend/deleteAccount(_:for:_:under:)``.
  package static let deleteAccount = BackendOperation(
    "deleteAccount", 39, .writes, needs: .role("accounts", isFresh: true), Rules.deleteAccount(_:token:))
  /// See ``Backend/registration(for:under:)``.
  package static let registration = BackendOperation(
    "registration", 40, .registration, .reads, needs: .role("registration"), Rules.registration)
  /// See ``Backend/setRegistration(_:for:_:under:)``.
  package static let setRegistration = BackendOperation(
    "setRegistration", 41, .writes, needs: .role("registration", isFresh: true), Rules.setRegistration)
  /// See ``Backend/registerOther(username:for:_:under:)``.
  package static let registerOther = BackendOperation(
    "registerOther", 42, .oneTimeCode, .writes, needs: .role("registration", isFresh: true), Rules.registerOther)
  /// See ``Backend/noteView(of:for:under:)``.
  package static let noteView = BackendOperation("noteView", 43, .writes, needs: .role("accounts"), Rules.noteView)

  // Groups, and proofs for tools.
  /// See ``Backend/setMembership(_:of:in:for:_:under:)``.
  package static let setMembership = BackendOperation(
    "setMembership", 44, .writes, lost: .repeatable, needs: .role("groups", isFresh: true), Rules.setMembership)
  /// See ``Backend/groups(under:)``.
  package static let ownGroups = BackendOperation(
    "ownGroups", 45, .groups, .reads, needs: SessionNeeds(), Rules.groups(token:))
  /// See ``Backend/groups(of:for:under:)``.
  package static let groupsOfAccount = BackendOperation(
    "groupsOfAccount", 46, .groups, .reads, needs: .role("groups"), Rules.groups(of:token:))
  /// See ``Backend/groups(_:for:under:)``.
  package static let groups = BackendOperation(
    "groups", 47, .groups, .reads, needs: .role("groups"), Rules.groups(_:token:)
  ).listing(\.0, \.limit) { $0.after = $1.last?.canonical }
  /// See ``Backend/members(of:_:for:under:)``.
  package static let members = BackendOperation(
    "members", 48, .accounts, .reads, needs: .role("groups"), Rules.members
  ).listing(\.1, \.limit) { $0.after = $1.last?.user.username }
  /// See ``Backend/prove(to:under:)``.
  package static let prove = BackendOperation(
    "prove", 49, .proof, .writes, lost: .readAgain, needs: SessionNeeds(), Rules.prove
  ).answering(.newProof)
  /// See ``Backend/verify(_:under:)``.
  package static let verify = BackendOperation(
    "verify", 50, .provenUser, .writes, needs: SessionNeeds(), Rules.verify)

  /// The operations that a service performs for its clients, by their numbers.
  package static let all: [UInt8: any AnyOperation] = Dictionary(
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
